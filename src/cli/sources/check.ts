import { checkSource, type SourceCheck } from '../../acts/check-source.ts'
import { closestHint } from '../../core/did-you-mean.ts'
import { AudienceError, EXIT_CODES, usageError } from '../../core/errors.ts'
import { count } from '../../core/format/figures.ts'
import type { ListSources } from '../../core/list-source.ts'
import { triggerName } from '../../core/occurrence.ts'
import { createLimit } from '../../core/one-at-a-time.ts'
import { jsonLine, printable } from '../../core/printable.ts'
import { documentsInUse } from '../../daemon/deployment/documents-in-use.ts'
import { sourceWatches } from '../../status/source-status.ts'
import type { JsonFlag } from '../options.ts'
import { settingsOf } from '../settings-of.ts'
import type { Terminal } from '../terminal.ts'
import { withSources } from '../with-sources.ts'

/** How many sources are checked at the same time. */
const AT_ONCE = 4
const NOTICED_AFTER_MS = 1000

/** Checks sources on other machines. Returns 0, or the exit code of the problem; 4 takes precedence. */
export async function checkSources(names: readonly string[], { json }: JsonFlag, terminal: Terminal): Promise<number> {
  const { out, err, surroundings } = terminal
  const settings = settingsOf(terminal)
  const wanted = namesOf(names, settings.sources)
  const { documents, problems } = await documentsInUse(settings, surroundings)
  if (problems.length > 0)
    err.write(`the triggers of ${count(problems.length, 'invalid document')} are left out; see \`audience validate\`\n`)
  const watches = sourceWatches(documents.values())
  const limit = createLimit(AT_ONCE)
  const results = await withSources(terminal, settings, async ({ open, signal }) => {
    const check = async (name: string): Promise<Result> => {
      const slow = surroundings.clock.timer(NOTICED_AFTER_MS, () => err.write(`${printable(name)}: looking …\n`))
      try {
        const source = await open(name)
        if (!source) throw notRemote(name)
        const its = watches.filter((watch) => watch.its.source === name)
        return { name, found: await checkSource(source, its, signal) }
      } catch (error) {
        if (error instanceof AudienceError) return { name, error }
        throw error
      } finally {
        slow.cancel()
      }
    }
    const checked = await Promise.all(wanted.map((name) => limit(() => check(name))))
    signal.throwIfAborted()
    return checked
  })
  for (const result of results) out.write(`${json ? jsonOf(result) : printable(lineOf(result))}\n`)
  if (wanted.length === 0 && !json) out.write('audience.yaml has no source on another machine\n')
  return exitCodeOf(results.flatMap((result) => ('error' in result ? [result.error] : [])))
}

type Result = { readonly name: string } & ({ readonly found: SourceCheck } | { readonly error: AudienceError })

function exitCodeOf(errors: readonly AudienceError[]): number {
  const [first] = errors
  if (!first) return 0
  return errors.some(({ kind }) => kind === 'unavailable') ? EXIT_CODES.unavailable : EXIT_CODES[first.kind]
}

function jsonOf(result: Result): string {
  const { name: source } = result
  if ('found' in result) return jsonLine({ source, ok: true, ...result.found })
  const { code, message, hint } = result.error
  return jsonLine({ source, ok: false, error: { code, message, hint } })
}

function lineOf(result: Result): string {
  if ('found' in result) return `${result.name}: ${foundText(result.found)}`
  const { code, message, hint } = result.error
  return `${result.name}: ${message} [${code}]${hint === undefined ? '' : `; ${hint}`}`
}

function foundText({ description, watches, moves }: SourceCheck): string {
  if (watches.length === 0) return `${description}; no trigger watches it`
  const files = watches.reduce((sum, each) => sum + each.files, 0)
  const unusable = watches.reduce((sum, each) => sum + each.unusable, 0)
  const each = watches.map((watch) => `${triggerName(watch)} ${watch.files}`).join(', ')
  return [
    `${description}, ${count(files, 'file')}${watches.length > 1 ? ` (${each})` : ''}`,
    ...(unusable > 0
      ? [
          `${count(unusable, 'matching name is', 'matching names are')} not taken: links, folders, or names that are not valid file names here`,
        ]
      : []),
    ...(moves ? ['the first move will show whether files may be moved'] : []),
  ].join('; ')
}

function namesOf(names: readonly string[], sources: ListSources): readonly string[] {
  const remote = Object.keys(sources).filter((name) => sources[name]?.kind === 'remote')
  for (const name of names) {
    if (remote.includes(name)) continue
    if (Object.hasOwn(sources, name)) throw notRemote(name)
    throw usageError(
      'unknown-source',
      `audience.yaml has no source ${name}`,
      closestHint(name, remote) ?? '`audience sources list` shows its sources',
    )
  }
  return names.length > 0 ? [...new Set(names)] : remote
}

function notRemote(name: string): AudienceError {
  return usageError(
    'source-not-remote',
    `the source ${name} is on this machine, so there is no connection to check`,
    '`audience sources list` shows which ones are on other machines',
  )
}
