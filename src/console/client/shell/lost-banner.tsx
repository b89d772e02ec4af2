import { connection } from '../live/connection.ts'
import { clockText, offsetText } from '../time/format-time.ts'
import { now } from '../time/now.ts'
import { zone } from '../time/zone.ts'
import { Icon } from '../ui/icon.tsx'

/** A shorter interruption is not shown. */
const SAY_AFTER_MS = 2000

/** Says that the shown data may be old. */
export function LostBanner() {
  const { value } = connection
  const isLost =
    value.state === 'lost' && now.value - value.since > -SAY_AFTER_MS && Date.now() - value.since > SAY_AFTER_MS
  return (
    <div aria-live="polite">
      {isLost && (
        <div class="banner">
          <Icon name="warning" />
          <span>
            audience start has not answered since {clockText(value.since, zone.value)}{' '}
            {offsetText(value.since, zone.value)}. This is what was known then; the page tries again automatically.
          </span>
        </div>
      )}
    </div>
  )
}
