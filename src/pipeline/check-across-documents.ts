import { dirname, resolve } from 'node:path'
import type { Diagnostic, Position } from '../core/diagnostic.ts'
import type { Pipeline } from '../core/pipeline.ts'
import { folderIdentity } from '../platform/real-path.ts'
import { findRivals, findRound, RIVALS_HINT, rivalsText, roundText, Stops } from '../triggers/watch/stops.ts'

/**
 * Finds conflicts between documents. Call the result with one document after another: it returns the conflicts of this
 * document with the earlier ones. They are only warnings, because documents of different folders may never run
 * together.
 */
export function createTogetherCheck(): (pipeline: Pipeline) => Diagnostic[] {
  const byName = new Map<string, string>()
  const stops = new Stops()
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
    const watches = pipeline.triggers.filter((trigger) => trigger.kind === 'watch')
    const placed = watches.map(({ id, path, done, failed, pattern, at }) => {
      const [own = [], ...leadsTo] = [path, done, failed].map((each) => folderIdentity(resolve(dirname(file), each)))
      return { at, path, stop: { name: `${name}/${id}`, path: own, leadsTo, pattern } }
    })
    // The triggers of one document were compared with each other when the document was loaded.
    for (const { at, path, stop } of placed) {
      const rivals = findRivals(stop, stops)
      if (rivals.length > 0) warn('same-folder', at, rivalsText(stop, rivals, path), RIVALS_HINT)
    }
    for (const { at, stop } of placed) {
      const round = findRound(stop, stops)
      const hint = '`audience start` takes none of these files; change the folder of done or failed'
      if (round) warn('files-go-round', at, roundText(round), hint)
      stops.add(stop)
    }
    return diagnostics
  }
}

/** A valid document has its name on a line of its own, or is in flow style. */
function nameAt({ text, file }: Pipeline): Position {
  const line = text.split('\n').findIndex((each) => /^["']?name["']?\s*:/.test(each))
  return { file, line: Math.max(line, 0) + 1, column: 1 }
}
