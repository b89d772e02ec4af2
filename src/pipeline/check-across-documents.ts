import { dirname, resolve } from 'node:path'
import type { Diagnostic, Position } from '../core/diagnostic.ts'
import type { Pipeline } from '../core/pipeline.ts'
import { folderIdentity } from '../platform/folder-identity.ts'
import { findRound, roundText, type Stop } from '../triggers/watch/find-round.ts'

/**
 * Finds conflicts between documents. Call the result with one document after another: it returns the problems of this
 * document with the earlier ones. Only warnings: documents of different folders need not be run together.
 */
export function createTogetherCheck(): (pipeline: Pipeline) => Diagnostic[] {
  const byName = new Map<string, string>()
  const byFolder = new Map<string, string>()
  const stops: Stop[] = []
  return (pipeline) => {
    const diagnostics: Diagnostic[] = []
    const warn = (code: string, at: Position, message: string, hint: string) =>
      diagnostics.push({ severity: 'warning', code, message, hint, at })
    const { name, file } = pipeline
    const namesake = byName.get(name)
    if (namesake === undefined) byName.set(name, file)
    else
      warn(
        'same-name',
        nameAt(pipeline),
        `${namesake} has the same name, ${name}`,
        '`audience start` runs only one of them; rename one',
      )
    for (const trigger of pipeline.triggers) {
      if (trigger.kind !== 'watch') continue
      const folder = JSON.stringify([resolve(dirname(file), trigger.path), trigger.pattern])
      const other = byFolder.get(folder)
      if (other === undefined) byFolder.set(folder, `${name}/${trigger.id}`)
      else {
        const message = `${other} watches the same files of ${trigger.path}`
        warn(
          'same-folder',
          trigger.at,
          message,
          'each file goes to either of them, by chance; give each its own folder or pattern',
        )
      }
      const [path = '', ...leadsTo] = [trigger.path, trigger.done, trigger.failed].map((each) =>
        folderIdentity(resolve(dirname(file), each)),
      )
      const stop = { name: `${name}/${trigger.id}`, path, leadsTo, pattern: trigger.pattern }
      const round = findRound(stop, stops)
      if (round)
        warn(
          'files-go-round',
          trigger.at,
          roundText(round),
          '`audience start` takes none of these files; change done or failed',
        )
      stops.push(stop)
    }
    return diagnostics
  }
}

/** A valid document has its name on a line of its own, or is in flow style. */
function nameAt({ text, file }: Pipeline): Position {
  const line = text.split('\n').findIndex((each) => /^["']?name["']?\s*:/.test(each))
  return { file, line: Math.max(line, 0) + 1, column: 1 }
}
