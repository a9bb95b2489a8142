--- The version of this plugin. `manicule doctor` and :checkhealth compare it with the program's.
return '0.1.0'
