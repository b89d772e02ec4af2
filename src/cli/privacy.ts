import { AudienceCommand, type CommandSetting } from './command.ts'
import { BY_OPTION, collect } from './options.ts'

/** `audience privacy …`: what the state keeps about the people in the lists. */
export function privacyCommand(setting: CommandSetting): AudienceCommand {
  const privacy = new AudienceCommand('privacy', setting)
    .description('What the state keeps about the people in the lists that files.prepare makes: only fingerprints.')
    .examples(`
  audience privacy check opt-outs-of-today.csv           does a live list hold them?
  audience privacy purge                                 remove all fingerprints
  audience privacy purge --older-than 7d
  audience privacy purge --run x7f3kq --run latest
`)
  privacy
    .command('check')
    .argument('<file>', 'the file with the keys')
    .description(
      'Says for each pipeline how many keys of a file its live list holds, and which run makes the next list. The live list is the list of the last run that succeeded, or of a later run that uploaded a list and then failed. The file is read like the files of privacy.suppress.',
    )
    .option('--json', 'one JSON object with lists and unknown')
    .examples(`
  audience privacy check asked-to-be-deleted.csv
  audience privacy check asked-to-be-deleted.csv --json | jq '.lists[] | select(.held > 0)'

Exit codes: 0 no list holds any of the keys, 5 a list holds some, 1 no list that can be searched holds any, and some
            cannot be searched.
`)
    .calls(async () => (await import('./privacy/check.ts')).checkKeys)
  privacy
    .command('purge')
    .description(
      'Removes fingerprints of lists now: all of them, or those that the options name. Afterwards the next run of a pipeline cannot say who was added and removed, and privacy check cannot search its list. The lists at the service stay as they are.',
    )
    .option('--older-than <duration>', 'only fingerprints that are older than this, such as 7d')
    .option('--run <run>', 'only fingerprints of lists of this run; may be given several times', collect, [])
    .option(...BY_OPTION)
    .calls(async () => (await import('./privacy/purge.ts')).purge)
  return privacy
}
