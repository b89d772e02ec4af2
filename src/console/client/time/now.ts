import { signal } from '@preact/signals'
import { onChange } from '../live/changes.ts'

/** The time of the server, to the second. It is right even if the clock of this computer is wrong. */
export const now = signal(Date.now())

let aheadMs = 0

/** Updates `now` once a second while the page is visible. */
export function startClock(): void {
  onChange((change) => {
    if (change.kind === 'hello' || change.kind === 'beat') aheadMs = Date.parse(change.at) - Date.now()
  })
  const tick = () => {
    if (!document.hidden) now.value = Date.now() + aheadMs
  }
  setInterval(tick, 1000)
  document.addEventListener('visibilitychange', tick)
}
