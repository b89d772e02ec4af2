import { printableJson } from '../core/printable.ts'
import { systemClock } from '../platform/clock.ts'
import { collectStatus } from '../status/collect-status.ts'
import { settingsOf } from './settings-of.ts'
import type { Terminal } from './terminal.ts'
import { renderStatus } from './views/render-status.ts'
import { styleFor } from './views/style.ts'

/** Prints the status: a screen for people, or one JSON object. */
export async function showStatus({ json }: { readonly json?: true }, terminal: Terminal): Promise<number> {
  const report = await collectStatus(settingsOf(terminal), systemClock.now())
  const lines = json ? [printableJson(JSON.stringify(report))] : renderStatus(report, styleFor(terminal.out))
  terminal.out.write(`${lines.join('\n')}\n`)
  return 0
}
