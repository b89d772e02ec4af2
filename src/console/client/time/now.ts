import { signal } from '@preact/signals'
import { onChange } from '../live/changes.ts'

let aheadMs = 0

/** The time of the server. It is right even if the clock of this computer is wrong. */
export function serverTime(): number {
  return Date.now() + aheadMs
}

/** The time of the server, to the second. */
export const now = signal(serverTime())

/** Updates `now` once a second while the page is visible. */
export function startClock(): void {
  onChange((change) => {
    if (change.kind === 'hello' || change.kind === 'beat') aheadMs = Date.parse(change.at) - Date.now()
  })
  const tick = () => {
    if (!document.hidden) now.value = serverTime()
  }
  setInterval(tick, 1000)
  document.addEventListener('visibilitychange', tick)
}
