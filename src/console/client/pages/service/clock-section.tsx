import { useSignal } from '@preact/signals'
import { count } from '../../../../core/format/figures.ts'
import { post } from '../../api/request.ts'
import type { ServiceClockState } from '../../api/types.ts'
import { useRead } from '../../api/use-read.ts'
import { may } from '../../shell/me.ts'
import { ActButton, ActDialog, type Reason } from '../../ui/act-dialog.tsx'
import { Facts } from '../../ui/facts.tsx'
import { bound, Field, Select } from '../../ui/fields.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { DialogButton } from '../../ui/modal.tsx'
import { Section } from '../../ui/page.tsx'
import { shownTime, Time } from '../../ui/time.tsx'
import { besideText } from './beside-text.ts'
import { useServiceRead } from './service-page.tsx'

/** The clock of the service, and the actions for it. */
export function ClockSection() {
  const read = useServiceRead('service.clock.get', {})
  const { data: clock } = read
  const acts = clock && may('operator') && (
    <span class="actions">
      <DialogButton text="Advance…" about="the clock" dialog={() => <AdvanceDialog clock={clock} />} />
      <StandButton clock={clock} />
    </span>
  )
  return (
    <Section title="Clock" aside={acts}>
      <Loaded read={read} rows={1}>
        {({ now, frozen, offsetMs }) => (
          <Facts
            items={[
              ['Time there', <Time at={now} withZone />],
              ['Jobs', frozen ? 'do not move on, because the clock is frozen' : 'move on by themselves'],
              ['The clock', besideText(offsetMs)],
            ]}
          />
        )}
      </Loaded>
    </Section>
  )
}

const UNITS = [
  ['seconds', 1000],
  ['minutes', 60_000],
  ['hours', 3_600_000],
  ['days', 86_400_000],
] as const
type Unit = (typeof UNITS)[number][0]

const MOST_MS = 315_360_000_000

/** Moves the clock of the service forward. The clock never goes back. */
function AdvanceDialog({ clock }: { clock: ServiceClockState }) {
  const amount = useSignal('1')
  const unit = useSignal<Unit>('hours')
  const { data } = useRead('service.jobs.list', { active: true, limit: 1000 })
  const perUnit = UNITS.find(([name]) => name === unit.value)?.[1] ?? 0
  const ms = Math.round(Number(amount.value) * perUnit)
  const isReady = ms > 0 && ms <= MOST_MS
  const then = new Date(Date.parse(clock.now) + (isReady ? ms : 0)).toISOString()
  const due = data?.jobs.filter(({ dueAt }) => dueAt !== undefined && dueAt <= then).length
  const act = async (reason: Reason) => {
    const { now } = await post('service.clock.act', { act: 'advance', ms, ...reason })
    return `At the service it is ${shownTime(now)}`
  }
  return (
    <ActDialog title="Advance the clock of the service" button="Advance" act={act} ready={isReady}>
      <Field label="By how much" {...bound(amount)} inputMode="decimal" autocomplete="off" maxLength={40} />
      <Select
        label="Unit"
        value={unit.value}
        choices={UNITS.map(([name]) => name)}
        onChoice={(chosen) => (unit.value = chosen)}
      />
      <p>
        {isReady ? (
          <>
            It was <Time at={clock.now} withZone /> there when this dialog opened, and will be{' '}
            <Time at={then} withZone />.
          </>
        ) : (
          'Enter a time between one second and ten years.'
        )}{' '}
        {due !== undefined && `${due === 0 ? 'No job falls' : count(due, 'job falls', 'jobs fall')} due by then.`} Each
        job that falls due in this period moves on at its own due time. The clock cannot go back. The clock of this
        machine is not affected.
      </p>
    </ActDialog>
  )
}

/** Freezes the clock of the service, or lets it run again. */
function StandButton({ clock: { now, frozen } }: { clock: ServiceClockState }) {
  const act = async (reason: Reason) => {
    const after = await post('service.clock.act', { act: frozen ? 'thaw' : 'freeze', ...reason })
    return after.frozen ? 'The clock of the service is frozen' : 'The clock of the service runs again'
  }
  const button = frozen ? 'Let it run again' : 'Freeze it'
  const title = frozen ? 'Let the clock of the service run again' : 'Freeze the clock of the service'
  return (
    <ActButton title={title} button={button} act={act}>
      {frozen ? (
        <p>
          It continues from <Time at={now} withZone />, so it stays behind or ahead of this machine. Jobs move on by
          themselves again.
        </p>
      ) : (
        <p>
          No job moves on by itself, and runs that are waiting for a job continue to wait, until the clock runs again or
          is advanced. A restart does not change that. The clock of this machine and the schedules are not affected.
        </p>
      )}
    </ActButton>
  )
}
