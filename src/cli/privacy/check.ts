import { resolve } from 'node:path'
import { EXIT_CODES, FOUND_EXIT_CODE } from '../../core/errors.ts'
import { jsonLine, printableData } from '../../core/printable.ts'
import { findHeldKeys } from '../../status/held-keys.ts'
import type { JsonFlag } from '../options.ts'
import { settingsOf } from '../settings-of.ts'
import { type Terminal, untilInterrupt } from '../terminal.ts'
import { renderHeldKeys } from '../views/render-held-keys.ts'
import { styleFor } from '../views/style.ts'

/** Prints how many of the keys in a file each live list contains. */
export async function checkKeys(file: string, { json }: JsonFlag, terminal: Terminal): Promise<number> {
  using interrupted = untilInterrupt(terminal)
  const deps = { ...terminal.surroundings, signal: interrupted.signal }
  const report = await findHeldKeys(settingsOf(terminal), resolve(terminal.cwd, file), deps)
  const text = json ? jsonLine(report) : renderHeldKeys(printableData(report), styleFor(terminal.out)).join('\n')
  terminal.out.write(`${text}\n`)
  if (report.lists.some(({ held }) => held > 0)) return FOUND_EXIT_CODE
  return report.unknown.length > 0 ? EXIT_CODES.failed : 0
}
