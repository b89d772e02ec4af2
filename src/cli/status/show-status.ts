import { systemClock } from '../../clock.ts'
import { loadSettings } from '../../config/load-settings.ts'
import { styleFor } from '../render/style.ts'
import type { Terminal } from '../terminal.ts'
import { collectStatus } from './collect-status.ts'
import { renderStatus } from './render-status.ts'

/** Prints how it goes: a screen for people, or one JSON object. */
export async function showStatus({ json }: { readonly json?: true }, { env, cwd, out }: Terminal): Promise<number> {
  const report = await collectStatus(loadSettings({ env, cwd, flags: {} }), systemClock.now())
  const lines = json ? [JSON.stringify(report)] : renderStatus(report, styleFor(out))
  out.write(`${lines.join('\n')}\n`)
  return 0
}
