package hooks

import (
	"strings"
	"sync"
)

// commonWords are the words that sentences with a reason have in common, whatever the project: of 11,203 such sentences in the
// commits of up to 170 public repositories, by the tenth that a word of them weighs, log(sentences/occurrences)/log(400). They
// are stems. `eval observer words` prints such a table: of 13,900 sentences of 247 repositories it lists 518 of these 528, 484
// with the same tenth.
var commonWords = sync.OnceValue(func() map[string]float64 {
	out := map[string]float64{}
	for tenths, list := range map[float64]string{
		3: `fail instead never use without would`,
		4: `error fix run test`,
		5: `ad call cannot caus chang check code default everi exist file get match must name new one pass path read return set silent type
			updat user valu`,
		6: `agent allow alreadi also api back base block break build cach case ci close command commit config contain correct could creat
			data depend direct drop empti even failur field first flag function generat git https id import instal issu json key like line list
			local log make messag miss need non open option otherwis output packag pars per pr previous project provid queri rather re releas
			remov render report request requir resolv result script server session sinc skip sourc start state still string time tool two valid
			version via work write`,
		7: `access action actual ai alway ap appli argument assert aub auth auto behavior branch bug byte caller carri class claud clear cli
			client com comment complet compon configur connect consum content context count current declar delet detect differ directori doc
			document doesn emit enabl end entri env environ event exact exampl except execut exit expect explicit fall fallback fals filter
			find follow format found full gate github go guard handl handler header help hook host http ignor implement includ input job keep
			leav level link live load lock longer loop main map merg method mode model modul move next node note noth object old order origin
			os page part pattern plugin pre prevent process produc publish py python real record refer reject replac respons review root rout
			row rule runtim schema scope search see separ share show singl spec stale status stay step store stream summari support surfac tabl
			target task text though token tri trigger true ts url verifi warn way window workflow workspac`,
		8: `accept across activ adapt address anoth appear arg array ask attempt attribut author avail avoid backend bare binari bodi bound
			built catch chain clean column compat compil condit continu contract control copi core cover crash cross custom databas db defin
			dep deploy deprec deriv descript dev dir disabl display drift duplic edit effect either endpoint engin ensur entir export extens
			fast feat featur fetch fire forc form fresh futur generic global group hand happen hard hardcod hash helper hold hub ident imag
			index init initi inject inlin insid instanc intern invalid item iter label land last later left let li limit liter logic long look
			made manag manual mark max may mcp md mean memori metadata migrat mock multi multipl mutat nativ none normal npm null number observ
			oper org overrid paramet parent parser persist pin place plan pnpm point polici port posit post prefix present preserv print
			problem prompt proper properti public pull push pytest rais raw reach reason receiv redirect ref refactor regist registri regress
			relat reli remain repo restor retri reus right rs safe second section select send servic setup shape shell ship side site size
			space specif specifi split src stack stop structur style success switch sync system tag take templat termin thread three throw
			timeout top touch track treat tree turn ui unit unknown usag var variabl view visibl wait web whole whose wire worker wrap written
			wrong zero`,
	} {
		for _, w := range strings.Fields(list) {
			out[w] = tenths / 10
		}
	}
	return out
})
