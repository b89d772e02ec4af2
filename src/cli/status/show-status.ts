import { systemClock } from '../../clock.ts'
import { printableJson } from '../../core/printable.ts'
import { styleFor } from '../render/style.ts'
import { settingsOf } from '../settings-of.ts'
import type { Terminal } from '../terminal.ts'
import { collectStatus } from './collect-status.ts'
import { renderStatus } from './render-status.ts'

/** Prints the status: a screen for people, or one JSON object. */
export async function showStatus({ json }: { readonly json?: true }, terminal: Terminal): Promise<number> {
  const report = await collectStatus(settingsOf(terminal), systemClock.now())
  const lines = json ? [printableJson(JSON.stringify(report))] : renderStatus(report, styleFor(terminal.out))
  terminal.out.write(`${lines.join('\n')}\n`)
  return 0
}
