import { AudienceCommand, type CommandSetting } from './command.ts'

/** `audience sources …`: where lists and files come from. */
export function sourcesCommand(setting: CommandSetting): AudienceCommand {
  const sources = new AudienceCommand('sources', setting)
    .description('The sources of audience.yaml: what they are, and whether those on other machines can be used.')
    .examples(`
  audience sources list             what audience.yaml has, and which triggers watch it
  audience sources check            connects to all SFTP servers and buckets, and lists
  audience sources check partner    one of them
  audience sources check --json | jq -r 'select(.ok | not) | .source'
`)
  sources
    .command('list')
    .description('Lists the sources, and the triggers that take files from them. It does not connect to any machine.')
    .option('--json', 'one JSON object per line: source, kind, place, watches (pipeline, trigger, path)')
    .calls(async () => (await import('./sources/list.ts')).listSources)
  sources
    .command('check')
    .summary('connects to sources on other machines and lists what triggers watch')
    .description(
      'Connects to SFTP servers and buckets and lists the folders that triggers watch. It reads no content and writes nothing, so it cannot tell whether files may be moved.',
    )
    .argument('[names...]', 'sources of audience.yaml; default: all on other machines')
    .option(
      '--json',
      'one JSON object per line: source, ok, description, watches (pipeline, trigger, path, files, unusable), moves; or error (code, message, hint)',
    )
    .examples(`
  audience sources check
  audience sources check partner lake --json

Exit codes: 0 all can be used; 4 one cannot be reached, refuses access or has another host key; 1 one has another problem,
such as a folder that is missing, or too many files.
`)
    .calls(async () => (await import('./sources/check.ts')).checkSources)
  return sources
}
