import { useSignal } from '@preact/signals'
import { count } from '../../../../core/format/figures.ts'
import { post } from '../../api/request.ts'
import type { ServiceClock } from '../../api/types.ts'
import { useRead } from '../../api/use-read.ts'
import { timeText } from '../../time/format-time.ts'
import { zone } from '../../time/zone.ts'
import { ActDialog } from '../../ui/act-dialog.tsx'
import { Time } from '../../ui/time.tsx'
import { Choice, Entry } from './form-fields.tsx'

const UNITS = [
  ['seconds', 1000],
  ['minutes', 60_000],
  ['hours', 3_600_000],
  ['days', 86_400_000],
] as const
type Unit = (typeof UNITS)[number][0]

const MOST_MS = 315_360_000_000

/** Moving the clock of the service forward. It never goes back. */
export function AdvanceDialog({
  clock,
  done,
  onClose,
}: {
  readonly clock: ServiceClock
  readonly done: () => void
  readonly onClose: () => void
}) {
  const amount = useSignal('1')
  const unit = useSignal<Unit>('hours')
  const { data } = useRead('/service/jobs', { active: true, limit: 1000 })
  const perUnit = UNITS.find(([name]) => name === unit.value)?.[1] ?? 0
  const ms = Math.round(Number(amount.value) * perUnit)
  const isReady = ms > 0 && ms <= MOST_MS
  const then = new Date(Date.parse(clock.now) + (isReady ? ms : 0)).toISOString()
  const due = data?.jobs.filter(({ dueAt }) => dueAt !== undefined && dueAt <= then).length
  const act = async (reason: { readonly reason?: string }) => {
    const { now } = await post('/service/clock', { act: 'advance', ms, ...reason })
    return `At the service it is ${timeText(Date.parse(now), zone.peek(), Date.now())}`
  }
  return (
    <ActDialog title="Advance the clock of the service" button="Advance" {...{ act, done, onClose }} ready={isReady}>
      <Entry
        label="By how much"
        value={amount.value}
        onText={(text) => {
          amount.value = text
        }}
      />
      <Choice
        label="Unit"
        value={unit.value}
        choices={UNITS.map(([name]) => [name, name])}
        onChoice={(chosen) => {
          unit.value = chosen
        }}
      />
      <p>
        {isReady ? (
          <>
            It was <Time at={clock.now} withZone /> there when this opened, and becomes <Time at={then} withZone />.
          </>
        ) : (
          'That is no time between a second and ten years.'
        )}{' '}
        {due !== undefined && `${due === 0 ? 'No job falls' : count(due, 'job falls', 'jobs fall')} due by then.`} Each
        job that falls due on the way is worked on at its own time. The clock cannot go back. That of this machine is
        not touched.
      </p>
    </ActDialog>
  )
}
