import { relative } from 'node:path'
import { formatRoughDuration } from '../../core/format/duration-text.ts'
import { printable } from '../../core/printable.ts'
import { shellWord } from '../../core/shell-word.ts'
import type { FileResult } from '../../rehearsal/run-test-files.ts'
import type { Style } from './style.ts'

/** How the tests of a file ended, as lines. */
export function* renderTests(
  { file, results, broken }: FileResult,
  { cwd, style }: { cwd: string; style: Style },
): Generator<string> {
  const shown = relative(cwd, file)
  for (const { it, failures, updated = [], requests, open, livedMs, kept } of results) {
    const lived = style('dim', `(${formatRoughDuration(livedMs)} simulated)`)
    const mark = failures.length === 0 ? style('green', 'ok  ') : style('red', 'FAIL')
    yield `${mark} ${printable(it)}  ${lived}`
    for (const { at, what, expected, seen } of failures) {
      yield `     ${shown}:${at.line}  ${what}`
      yield `       expected ${printable(expected)}`
      yield `       seen     ${printable(seen)}`
    }
    for (const { at, what, expected, seen } of updated) {
      yield `     ${shown}:${at.line}  ${what} ${style('yellow', 'rewritten')}`
      yield `       was      ${printable(expected)}`
      yield `       is       ${printable(seen)}`
    }
    for (const line of open) yield `     open: ${printable(line)}`
    if (requests.length > 0) yield style('dim', `     requests: ${shortened(requests)}`)
    if (kept === undefined) continue
    yield `     its world is kept: AUDIENCE_STATE=${shellWord(`${kept}/state`)} audience runs list`
    yield `     in the console:    audience console --world ${shellWord(kept)}`
  }
  if (!broken) return
  yield `${style('red', 'FAIL')} ${shown}: ${printable(broken.message)}`
  if (broken.hint !== undefined) yield `     What to do: ${broken.hint}`
}

/** Repeated lines are counted. If there are many, only the last ones are shown. */
function shortened(requests: readonly string[]): string {
  const runs: { text: string; times: number }[] = []
  for (const text of requests) {
    const last = runs.at(-1)
    if (last?.text === text) last.times += 1
    else runs.push({ text, times: 1 })
  }
  const shown = runs.slice(-MOST_SHOWN).map(({ text, times }) => (times > 1 ? `${text} (${times} times)` : text))
  return `${runs.length > MOST_SHOWN ? '… ' : ''}${shown.join(', ')}`
}

const MOST_SHOWN = 30
