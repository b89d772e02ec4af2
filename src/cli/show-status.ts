import { serviceOf } from '../config/choose-service.ts'
import { AudienceError } from '../core/errors.ts'
import { jsonLine } from '../core/printable.ts'
import type { ServiceRef } from '../core/service-ref.ts'
import { collectStatus } from '../status/collect-status.ts'
import { settingsOf } from './settings-of.ts'
import { type Terminal, untilInterrupt } from './terminal.ts'
import { version } from './version.ts'
import { renderStatus } from './views/render-status.ts'
import { styleFor } from './views/style.ts'
import { fittedTo } from './views/text-width.ts'

export interface StatusFlags {
  readonly json?: true
  readonly watch?: true
}

const WATCH_EVERY_MS = 2000
const HOME = '\u001b[H'
const CLEAR_LINE = '\u001b[K'
const CLEAR_BELOW = '\u001b[J'
const CLEAR_ALL = '\u001b[2J'
/** Long lines are cut at the edge, so that a line takes one row. */
const NO_WRAP = '\u001b[?7l'
const WRAP = '\u001b[?7h'

/**
 * Prints the status: a screen for people, or one JSON object. With `watch`, prints it again and again until an
 * interrupt.
 */
export async function showStatus({ json, watch }: StatusFlags, terminal: Terminal): Promise<number> {
  const { out, surroundings } = terminal
  using interrupted = watch && untilInterrupt(terminal)
  if (watch) terminal.whenUnread('end')
  const isScreen = watch && out.isTTY && !json
  if (isScreen) out.write(CLEAR_ALL + NO_WRAP)
  const notice = (text: string) => (isScreen ? undefined : terminal.err.write(`${text}\n`))
  for (;;) {
    const report = await collectStatus(settingsOf(terminal), surroundings, {
      serviceFor: serviceFor(terminal),
      version: version(),
      notice,
    })
    const lines = json ? [jsonLine(report)] : renderStatus(report, styleFor(out)).flatMap(fittedTo(out))
    out.write(isScreen ? screen(lines, out.rows) : `${lines.join('\n')}\n`)
    if (!interrupted) return 0
    await surroundings.clock.sleep(WATCH_EVERY_MS, interrupted.signal).catch(() => undefined)
    if (interrupted.signal.aborted) break
    if (!isScreen && !json) out.write('\n')
  }
  if (isScreen) out.write(WRAP)
  return 0
}

/** Written over the previous screen. Lines that do not fit are left out at the end. */
function screen(lines: readonly string[], rows: number): string {
  const room = Math.max(2, rows - 1)
  const shown =
    lines.length <= room
      ? lines
      : [...lines.slice(0, room - 1), `${lines.length - room + 1} more lines: a taller terminal shows them`]
  return `${HOME}${shown.map((line) => `${line}${CLEAR_LINE}\n`).join('')}${CLEAR_BELOW}`
}

/** The service that `runs approve` and `runs resume` would use for a run of a profile. */
function serviceFor(terminal: Terminal): (profile: string) => ServiceRef | undefined {
  // Many runs may need a person, and most of them have the same profile.
  const known = new Map<string, ServiceRef | undefined>()
  return (runProfile) => {
    if (!known.has(runProfile)) known.set(runProfile, serviceOfProfile(runProfile, terminal))
    return known.get(runProfile)
  }
}

function serviceOfProfile(runProfile: string, terminal: Terminal): ServiceRef | undefined {
  try {
    return serviceOf(settingsOf(terminal, { runProfile }))
  } catch (error) {
    if (error instanceof AudienceError) return undefined
    throw error
  }
}
