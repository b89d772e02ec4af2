import { resolve } from 'node:path'
import { exactObject, type Static } from '../core/json-schema.ts'
import type { ListSource, ListSources } from '../core/list-source.ts'
import type { DiagnosticCollector } from '../document/diagnostic-collector.ts'
import { childOf, type DocumentNode, entriesOf, itemsOf, textOf } from '../document/document-node.ts'
import { checkS3, checkSftp, s3, s3Of, sftp, sftpOf } from './remote-config.ts'
import { durationOf, durationSetting, program } from './schema-parts.ts'

/** Where one list comes from. */
const source = exactObject({
  description: 'One of path, command, sftp and s3.',
  properties: {
    path: {
      type: 'string',
      minLength: 1,
      description:
        'A file, or several with *, ? and **, relative to this file: CSV, TSV, NDJSON or Parquet, also compressed with gzip or Zstandard. {date} is the day that the step gives.',
    },
    command: program(
      'A program and its arguments; no shell is involved. It writes the rows to the file {out}. {date} is the day that the step gives.',
    ),
    timeout: durationSetting('The maximum time for the command. Default: 30m.'),
    sftp,
    s3,
  },
})

const KINDS = Object.keys(source.properties).filter((key) => key !== 'timeout')

export const sources = {
  type: 'object',
  additionalProperties: source,
  description:
    'Where lists come from, by name. files.prepare takes a list with `from: { source: NAME }`. A trigger can watch a source with sftp or s3: `watch: { source: NAME }`.',
} as const

type SourceConfig = Static<typeof source>

const DEFAULT_TIMEOUT_MS = 1_800_000

/** The sources of a configuration that `checkSourcesConfig` has checked; paths are relative to `folder`. */
export function sourcesOf(config: Readonly<Record<string, SourceConfig>> = {}, folder: string): ListSources {
  return Object.fromEntries(Object.entries(config).map(([name, source]) => [name, sourceOf(source, folder)]))
}

function sourceOf({ path, command = [], timeout, sftp, s3 }: SourceConfig, folder: string): ListSource {
  if (sftp) return { kind: 'remote', at: sftpOf(sftp, folder) }
  if (s3) return { kind: 'remote', at: s3Of(s3, folder) }
  if (path !== undefined) return { kind: 'path', path: resolve(folder, path) }
  return { kind: 'command', command, timeoutMs: durationOf(timeout, DEFAULT_TIMEOUT_MS), folder }
}

/** Checks what the schema of audience.yaml cannot express about `sources`. */
export function checkSourcesConfig(root: DocumentNode, reporter: DiagnosticCollector): void {
  for (const [name, { key, value }] of entriesOf(childOf(root, 'sources'))) {
    if (value.kind !== 'map') continue
    const [path, command] = [childOf(value, 'path'), childOf(value, 'command')]
    const places = KINDS.filter((each) => childOf(value, each))
    if (places.length !== 1) {
      const message =
        places.length === 0
          ? `source ${name} needs one of ${listed(KINDS)}`
          : `source ${name} has ${listed(places)}, but needs exactly one of them`
      const hint =
        places.length === 0
          ? 'for example path: "data/{date}.csv", or sftp: { host: sftp.example.com, … }'
          : 'write a source for each'
      reporter.wrongValue(message, key, hint)
    }
    const [server, bucket] = [childOf(value, 'sftp'), childOf(value, 's3')]
    if (server) checkSftp(server, reporter)
    if (bucket) checkS3(bucket, reporter)
    const timeout = childOf(value, 'timeout')
    if (timeout && !command) {
      reporter.wrongValue('timeout is only for a command', timeout)
    }
    const unknown = /\{(?!date\})[^{},/]*\}/.exec(textOf(path) ?? '')?.[0]
    if (path && unknown !== undefined) {
      const hint = 'a path may contain {date}; for several files, use *, ? or **'
      reporter.wrongValue(`${unknown} has no meaning in a path`, path, hint)
    }
    if (command && !itemsOf(command).some((item) => textOf(item)?.includes('{out}'))) {
      const hint = 'give it as an argument: [aws, s3, cp, "s3://drops/{date}.csv.gz", "{out}"]'
      reporter.wrongValue(`the command of ${name} has no {out}, the file to write`, command, hint)
    }
  }
}

function listed(names: readonly string[]): string {
  return `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`
}
