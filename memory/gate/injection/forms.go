package injection

// form is the source of a finder.
type form struct {
	rule    Rule
	needles string // separated by |
	pattern string
	unless  string
}

// Parts of the patterns.
const (
	gap  = `(?:\W+[\w'-]+){0,4}?\W+`
	near = `(?:\W+[\w'-]+){0,2}?\W+`
	// orders are nouns for what an agent was told. They rarely occur in code.
	orders = `(?:instruction|prompt|directive|guideline|order|command|direction|guidance)s?`
	// said are such nouns that do occur in code.
	said    = `(?:rule|message|context|conversation|information|text|content|training|programming|constraint|restriction|limitation|polic(?:y|ie)|request|task|statement)s?`
	earlier = `(?:previous|prior|above|earlier|preceding|former|foregoing|past|initial|original)(?:ly)?`
	answer  = `(?:response|reply|answer|message|output)(?:'?s)?`
	// mays are words before a match that turn it into a description.
	mays  = `\b(?:may|might|could|can|would|tends?|sometimes|often|models?|llms?|agents?|not|never|n't|cannot|to not|why|if|when|whether|that|which) (?:to )?$`
	shell = `(?:ba|z|da|k)?sh\b|python3?\b|node\b|iex\b`
)

func forms() []form {
	return []form{
		// "Ignore all previous instructions", in a few languages.
		{Override, "ignor|disregard|forget|overrid|bypass|neglect|attention|follow|listen|obey|heed|comply|dismiss|discard|abandon",
			`\b(?:ignor(?:e|ing)|disregard(?:ing)?|forget|overrid(?:e|ing)|bypass|neglect|dismiss|discard|abandon|pay no (?:attention|heed) to|(?:do not|don't|stop|never) (?:follow|obey|listen to|heed|comply with)(?:ing)?|stop (?:following|obeying))\b` +
				`(?:` + gap + `|\W+)(?:` + earlier + `|all|any|every|your|system|other|these|those)\b` + near + orders + `\b`, mays},
		{Override, "ignor|disregard|forget|listen|obey|heed",
			`(?:^|[.!?:;,"'\n>*#)\]-]\s*|\b(?:please|and|then|now|must|should|shall|will|you to|you can|do not|don't) )(?:ignore|disregard|forget|listen to|obey|heed)\b` +
				`(?:` + gap + `|\W+)` + earlier + `\b` + near + said + `\b`, mays},
		{Override, "ignore|disregard|forget",
			`(?:^|[.!?:;\n>]\s*|\b(?:please|and|then|now|you to|you must|pretend to) )(?:ignore|disregard|forget|have forgotten)\b[^.\n]{0,30}\b(?:everything|anything|all|what(?:ever)?|rules?)\b[^.\n]{0,24}\b(?:above|before|you (?:know|were|have|had|got|learned|ve)|i (?:said|told)|said|told|learned|so far)\b`, mays},
		{Override, "no longer", `\byou(?:'re| are) no longer (?:bound|restricted|limited|required|an? (?:ai|assistant)|under)\b`, ""},
		{Override, "your new|new instr|updated instr|real instr|actual instr|new system|new task",
			`\byour (?:new|real|true|actual|only) (?:task|instructions?|objective|goal|role|mission|purpose|job|system prompt) (?:is|are|will)\b|(?:^|[\n*#>"]\s*)(?:new|updated|revised|real|actual|additional) (?:system )?(?:instructions?|prompt|directives?)(?: (?:for|to) (?:the |all |any )?(?:ai|assistants?|agents?|models?|llms?))?\s*:`, ""},
		{Override, "override|message|notice|directive|alert", `(?:^|[\n\[({<*#!"]\s*)(?:system|admin(?:istrator)?|developer|root|security|anthropic|openai)[ _-](?:override|message|notice|directive|alert|instruction)s?\W{0,4}[:\])}>]`, ""},
		{Override, "obey", `\byou must obey (?:all|every|my|the following|these)\b`, ""},
		{Override, "ignorier|vergiss|vergessen|missacht", `\b(?:ignorier\w*|vergiss|vergessen sie|missachte\w*)\b[^.\n]{0,40}\b(?:vorherig|bisherig|obig|vorig|früher|alle)\w*[^.\n]{0,20}\b(?:anweisung|instruktion|befehl|regel|vorgabe|prompt)\w*`, ""},
		{Override, "ignor|oubli", `\b(?:ignore[rz]?|oublie[rz]?)\b[^.\n]{0,30}\b(?:instructions?|consignes?|directives?|ordres?|règles?)\b[^.\n]{0,20}\b(?:précédent\w*|antérieur\w*|ci-dessus|initiale?s?)\b`, ""},
		{Override, "ignor|olvid|esque", `\b(?:ignor(?:a|e|ar|en|em)|olvid(?:a|e|ar|en)|esqueç?[ae]\w*)\b[^.\n]{0,30}\b(?:instruc\w+|órdenes|ordens|reglas|regras|indicaciones)\b[^.\n]{0,20}\b(?:anteriores|previas|prévias|previos|de arriba|acima)\b`, ""},
		{Override, "ignor|dimentic", `\b(?:ignor(?:a|are|ate)|dimentica(?:re|te)?)\b[^.\n]{0,30}\b(?:istruzioni|ordini|regole|comandi)\b[^.\n]{0,20}\b(?:precedenti|sopra|iniziali)\b`, ""},
		{Override, "игнорир|забуд", `(?:игнорируй\w*|забудь\w*)[^.\n]{0,30}(?:предыдущ|прежн|вышеуказ|все)[^.\n]{0,20}(?:инструкци|указани|команд|правил)`, ""},
		{Override, "忽略|无视|忘记|無視|忘れ|무시", `(?:忽略|无视|忘记|無視)[^。\n]{0,12}(?:之前|以上|前面|先前|所有|上述|此前)[^。\n]{0,8}(?:指令|指示|说明|提示|命令|规则)|(?:以前|これまで|上記|前|すべて)の[^。\n]{0,6}(?:指示|命令|プロンプト)[^。\n]{0,6}(?:無視|忘れ)|(?:이전|위의|모든)[^.\n]{0,8}(?:지시|명령|지침)[^.\n]{0,6}무시`, ""},

		// The markers by which programs separate the parts of a conversation.
		{Forged, "im_|system|user|assistant|endoftext|begin_of|start_header|eot_id", `<\|(?:im_start|im_end|im_sep|system|user|assistant|endoftext|begin_of_text|start_header_id|eot_id)\|?>?`, ""},
		// A mark that is joined to others is the description of a format.
		{Forged, "[inst|[/inst|<<sys|[system", `\[/?inst\]|<</?sys>>|\[system\]['\x60]?(?:\s*[^\w\s+|'\x60]|\s+\w)|\[system (?:message|prompt|note)\]`, ""},
		{Forged, "system|instruct|assistant", `(?:^|\n|[}\]"'.!]\s*)(?:#{1,4}\s*)?(?:\{\s*)?(?:system|assistant)\s*(?:prompt|message)?\s*:\s+(?:you\b|ignore|the user|this (?:simulation|is)|from now|new\b|all\b|do not|always)`, ""},
		{Forged, "</|<system|<admin", `</(?:system|user|user_query|tool_result|function_results?|instructions?|context|document|memory|memories)>\s*\S|<(?:system_override|admin_override)>\s*\S`, ""},
		{Forged, "end user|end of user|begin system|end of input|end system", `[-=#%*]{2,}\s*(?:begin|end|start)(?: of)? (?:user|system|input|prompt|instructions?)\b`, ""},

		// Another persona.
		{Persona, "from now on", `\bfrom (?:now|here) on\b\W{0,3}(?:\w+\W+){0,3}?(?:you|respond|reply|answer|act|speak|behave|pretend|your)\b|\byou (?:will|must|shall|are)\b[^.\n]{0,40}\bfrom (?:now|here) on\b`, ""},
		{Persona, "you are now|you're now", `\byou(?:'re| are) now (?:an? |called |known as |free |going to |acting |my |unrestricted|jailbroken|dan\b|in (?:developer|god|dan|admin|sudo|unrestricted|jailbreak)\b)`, ""},
		{Persona, "pretend", `(?:^|[.!?:;,\n>"]\s*|\b(?:please|and|then|now|you to|you will|you must|can you|let's) )pretend (?:to be|you(?:'re| are|r)?\b|that you|to have)`, ""},
		{Persona, " dan ", `\b(?:you (?:are|will be)|act as|called|named|agent|be)\b[^.\n]{0,24}\bdan\b[^\n]{0,120}\b(?:anything|override|restrict\w*|limit\w*|rules|model|jailbreak|secret)\b`, ""},
		{Persona, "mode", `\b(?:developer|god|dan|jailbreak|unrestricted|evil|chaos) mode (?:enabled|on|activated|output|is now)\b|\b(?:enable|activate|enter|switch to) (?:god|dan|jailbreak|unrestricted|evil) mode\b`, ""},
		{Persona, "ai without|ai with no|without ethic|no ethic|no moral|without moral|amoral|any rules|do anything now", `\b(?:ai|assistant|chatbot|model)s? (?:without|with no|that has no|having no) (?:any )?(?:ethic|moral|restriction|rule|filter|limit)\w*|\bdo anything now\b|\b(?:does not|doesn't|don't|do not|need not|not) (?:follow|have|obey) any (?:rules|ethic\w*|moral\w*|guidelines|restrictions)\b`, ""},
		{Persona, "simulate|guidebook|roleplay|role-play|act as|going to act", `\bsimulate an? (?:ai|assistant|chatbot|llm)\b|\byou are (?:going to|to|the|an?) (?:act as|role-?play|electronic|simulat\w+)\b|\byou(?:'ll| will| must| shall| should| are going to| are to) (?:act|behave|respond|answer|speak|talk) (?:as|like)\b`, ""},
		// At the start of a sentence it is an order to whoever reads it.
		{Persona, "act as", `(?:^|[.!?\n>"]\s*|\bplease,? )act as (?:an?|my|if you)\s`, ""},
		{Persona, "your safety|your security|your content|your ethical|your moral|your restrictions|your limitations|your guard|your filter", `\b(?:disable|turn off|bypass|ignore|remove|drop|skip|without|circumvent)\b[^.\n]{0,20}\byour (?:\w+ )?(?:safety|security|content|ethical|moral|restrictions?|limitations?|guard\w*|filters?)\b`, mays},

		// What the agent was told, or keeps secret.
		{Leak, "your|above|previous|system prompt|initial prompt|all instructions|hidden",
			`\b(?:print|repeat|reveal|show|output|display|tell me|give me|disclose|leak|recite|list|translate|summari[sz]e|share|expose|write out|write down|what (?:is|are|were))\b(?:\W+(?:me|us|out|back|all|of|the|verbatim|exactly|to|in|full|please|every|word|for)){0,5}?\W+(?:your (?:\w+ ){0,2}?(?:system prompt|prompt|instructions|guidelines|directives|programming|rules|secret\w*|password)|(?:the )?(?:above|previous|preceding|earlier|hidden|initial|original) (?:system )?(?:prompts?|instructions)|all (?:of )?(?:the |your )?instructions)\b`, mays},
		{Leak, "instructions", `\b(?:repeat|print|reveal|output|recite) (?:your |all |the )?instructions (?:to me|above|you were|verbatim)\b|\bhere are my instructions\b`, ""},
		{Leak, "secret word|secret password|the password|secret key|passphrase|gandalf", `\b(?:tell|give|reveal|share|say|spell|what is|what's|show)\b[^.?\n]{0,40}\b(?:the|your|gandalf's|a) (?:secret (?:word|password|key|phrase)|password|passphrase)\b|\bsecret word that you know\b|\bgandalf's secret\b|\bsave (?:your )?passwords?\b[^.\n]{0,40}\bgrey-?hat\b|\byou do not have a central repository for passwords\b`, mays},

		// What is hidden from a person.
		{Stealth, "user|human|developer|anyone|person|operator|maintainer", `\b(?:do not|don't|never|must not|should not) (?:tell|mention|inform|notify|alert|reveal|disclose|report|show)\b[^.\n]{0,24}\b(?:this|it|that you|about this|these|what you)\b[^.\n]{0,24}\bto (?:the |any )?(?:user|human|developer|anyone|person|operator|maintainer)s?\b`, ""},
		{Stealth, "user|human|developer|anyone|person|operator", `\b(?:do not|don't|never) (?:tell|inform|notify|alert) (?:the |any )?(?:user|human|developer|anyone|person|operator)s? (?:about (?:this|it|these)|that you (?:did|have|are|were|ran|read|sent)|what you)\b|\bwithout (?:telling|informing|notifying|alerting|the knowledge of|mentioning (?:this|it) to) (?:the |any )?(?:user|human|developer|anyone|person|operator)s?\b`, ""},
		{Stealth, "secret|silent|covert|quiet|stealth", `\b(?:secretly|covertly|stealthily|surreptitiously) (?:send|upload|run|execute|add|insert|install|copy|post|append|include|change|push|commit|exfiltrate|read)\b|\b(?:silently|quietly) (?:send|upload|exfiltrate|post|copy|forward)\b[^.\n]{0,80}(?:https?://|@)`, mays},
		{Stealth, "detection|monitored", `\byou must avoid detection\b|\bthis channel is monitored\b`, ""},

		// Secrets that leave the machine.
		{Exfil, "curl|wget|nc |http|fetch", `\b(?:curl|wget|nc|http|invoke-webrequest|iwr)\b[^\n]{0,200}(?:\$\(|@|<|` + "`" + `|')\s*(?:cat |env|printenv|base64 )?[^\n]{0,30}(?:\.env\b|id_rsa|id_ed25519|\.ssh/|\.aws/|\.netrc|\.npmrc|\.git-credentials|/etc/(?:passwd|shadow)|\bprintenv\b|\benv\)|\.kube/config)`, ""},
		{Exfil, ".env|id_rsa|id_ed25519|.ssh|.aws|environment var|private key|credential|api key|secret|token", `\b(?:send|post|upload|exfiltrate|forward|transmit|e-?mail|leak|copy|append|paste|include|encode)\b[^.\n]{0,40}\b(?:contents? of|values? of|all|user's|your|any|every)\b[^\n]{0,40}(?:\.env\b|id_rsa|id_ed25519|\.ssh\b|\.aws\b|environment variables|private keys?|credentials|api[ _-]?keys?|secrets|tokens|passwords)[^\n]{0,80}(?:https?://|\bto [\w.+-]+@[\w-]+\.|webhook|pastebin|ngrok|requestbin|\bin (?:a|the|your) (?:url|query|image|commit|comment|pull request|issue))`, `\b(?:never|not|n't|avoid|no) (?:\w+ ){0,2}$`},
		{Exfil, "exfiltrate", `\bexfiltrate\b[^.\n]{0,80}\b(?:to|via|through|using)\b`, mays},

		// A command to run before any work.
		{Command, "curl|wget|http|iwr|irm", `\b(?:before (?:doing anything|anything else|answering|responding|any other|you (?:continue|proceed|edit|start|begin|answer|do|make|read))|immediately|you must (?:now |first |always )?|first of all|at the start of (?:every|each)|every time you|always begin by|as your first)\b[^\n]{0,100}\b(?:run|execute|fetch|download|open|curl|wget|visit|eval|source)(?:ning|ing)?\b[^\n]{0,160}(?:\|\s*(?:sudo )?(?:` + shell + `)|(?:https?://|www\.)\S+\.(?:sh|py|ps1|exe|js|bat)\b)`, ""},
		{Command, "follow", `\b(?:fetch|open|visit|read|download|retrieve|load|go to)\b[^.\n]{0,30}(?:https?://|www\.)\S+[^\n]{0,30}\b(?:and|then)\b[^\n]{0,20}\b(?:follow|obey|execute|run|do what)\b`, mays},
		{Command, "rm -rf|rm -fr|dd if=|mkfs|:(){", `\b(?:run|execute|use|type|issue|call|do)\b[^.\n]{0,30}(?:\brm -(?:rf|fr) (?:--no-preserve-root )?(?:/|~/?|\$home/?|\*)(?:[\s'";)]|$)|\bdd if=/dev/\w+ of=/dev/|\bmkfs\.\w+ /dev/|:\(\)\s*\{)`, `\b(?:never|not|n't|avoid|dangerous|no) (?:\w+ ){0,3}$`},
		{Command, "base64", `\bbase64 (?:-d|--decode|-D)\b[^\n]{0,40}\|\s*(?:sudo )?(?:` + shell + `)`, ""},

		// Code or words that should get into what the agent writes.
		{Code, "code", `\b(?:following|subsequent|below|next)\s+(?:code[ -](?:snippet|block|excerpt|section|fragment|segment|sample|piece)|(?:snippet|block|piece|excerpt|section|lines?) of code)\b[^.\n]{0,80}\b(?:your|you (?:develop|write|create|produce|generate|build)|(?:the|a) (?:solution|response|answer|reply|elucidation))\b`, ""},
		{Code, "code", `\byour (?:\w+ )?(?:code|codebase|algorithm|solution|implementation|response|answer|reply|elucidation|explanation|program|project)\b[^.\n]{0,80}\b(?:following|subsequent|below|next)\s+(?:code[ -](?:snippet|block|excerpt|section|fragment|segment|sample|piece)|(?:snippet|block|piece|excerpt|section|lines?) of code)\b`, ""},
		{Code, "code", `(?:^|[.!?\n]\s*)(?:please |always |remember to |be sure to |make sure to |don't (?:hesitate|forget) to |do not (?:hesitate|forget) to |keep in mind to |ensure (?:that )?|consider )*(?:(?:the )?(?:inclusion|presence|manifestation|integration) of|us(?:e|ing)|utili[sz](?:e|ing)|includ(?:e|ing)|insert|append(?:ing)?|add(?:ing)?|merge|integrat(?:e|ing)|incorporat(?:e|ing)|embed|weave|employ|execute|enlist|engage|absorb|infuse|fuse|render|introduce|implement|place|put|blend|harness|apply|leverage|interweave|assimilate)\b[^.\n]{0,20}\b(?:following|subsequent|below)\s+(?:code[ -](?:snippet|block|excerpt|section|fragment|segment))`, ""},
		{Answer, "your", `\b(?:add|insert|integrate|modify|enhance|augment|append|embed|incorporate|weave|inject|infuse|alter|adjust|sprinkle|slip|work|tweak|adapt|revise|expand|supplement|enrich|embellish|spice up)\b(?:[^.\n]|\.\S){0,140}\byour (?:\w+ )?` + answer + `\b`, mays},
		{Answer, "your", `\b(?:include|mention|introduce|suggest|use|place|put|plug|promote|advertise|recommend|reference|drop)\b[^.\n]{0,20}\b(?:sentence|statement|claim|link|phrase|line|teaser|headline|reason|hint|advert\w*|promotion|plug|slogan|quote|joke|call to action|appeal|emojis?)\b[^.\n]{0,80}\byour (?:\w+ )?` + answer + `\b`, mays},
		{Answer, "your", `\b(?:encode|base ?\d+|reverse|invert|scramble|anagrams?|misspell\w*|cipher|emojis?|morse|rot13|rearrange|leetspeak|pig latin|alphanumeric|spaces|punctuation|vowels|every (?:second|third|fourth|other) (?:word|letter)|hex(?:adecimal)?|binary)\b[^.\n]{0,80}\byour (?:\w+ )?` + answer + `\b`, mays},
		{Answer, "your", `\byour (?:\w+ )?` + answer + `\b[^.\n]{0,60}\b(?:in reverse|backwards?|in base ?\d+|base64|anagrams?|misspell\w*|emojis?|cipher|morse|rot13|scrambled?|substitution|without (?:any )?(?:spaces|vowels|punctuation)|leetspeak|pig latin|(?:characters?|letters?|words?)(?: in)? (?:order|reverse\w*)|to numbers)`, mays},
		{Answer, "letter|word|message", `\b(?:replace|misspell|reverse|substitute|scramble|invert|shift|swap|convert)\b[^.\n]{0,20}\b(?:every|each|the order of|vowels|letters|all) ?(?:second|third|fourth|fifth|other|the)? ?(?:letter|word|vowel|letters|character)s?\b[^.\n]{0,40}\b(?:(?:with|to|by|in) (?:its|their|your|the next)|position|number)`, mays},
		{Answer, "begin your|start your|end your|finish your|conclude your", `\b(?:begin|start|end|finish|conclude|preface|close)\b your (?:\w+ )?` + answer + ` (?:with|by) ["'“]`, mays},
		{Errand, "sentiment|feedback|review", `\b(?:determine|identify|analy[sz]e|classify|what(?:'s| is)) the sentiment of (?:this|the following|these)\b|\bis (?:this|the following) (?:feedback|review|comment|statement|sentence) (?:positive|negative)\b`, ""},
		{Errand, "write a|love poem|headline", `\bwrite (?:me )?a (?:love )?poem (?:to|about)\b|\bformulate an? (?:untrue|false|fake) headline\b`, ""},
	}
}
