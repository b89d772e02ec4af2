import { may } from '../../shell/me.ts'
import { Facts } from '../../ui/facts.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { openModal } from '../../ui/modal.tsx'
import { Section } from '../../ui/page.tsx'
import { Time } from '../../ui/time.tsx'
import { AdvanceDialog } from './advance-dialog.tsx'
import { besideText } from './beside-text.ts'
import { StandDialog } from './stand-dialog.tsx'
import { useServiceRead } from './use-service-read.ts'

/** The clock of the service, and what can be done with it. */
export function ClockSection() {
  const read = useServiceRead('/service/clock', {})
  const { data: clock, reload: done } = read
  const acts = clock && may('operator') && (
    <span class="actions">
      <button type="button" onClick={() => openModal((onClose) => <AdvanceDialog {...{ clock, done, onClose }} />)}>
        Advance…<span class="hidden"> the clock</span>
      </button>
      <button type="button" onClick={() => openModal((onClose) => <StandDialog {...{ clock, done, onClose }} />)}>
        {clock.frozen ? 'Let it go on…' : 'Let it stand still…'}
      </button>
    </span>
  )
  return (
    <Section title="Clock" aside={acts}>
      <Loaded read={read} rows={1}>
        {({ now, frozen, offsetMs }) => (
          <Facts
            items={[
              ['Time there', <Time at={now} withZone />],
              ['Jobs', frozen ? 'none moves on by itself: it stands still' : 'move on by themselves'],
              ['The clock', besideText(offsetMs)],
            ]}
          />
        )}
      </Loaded>
    </Section>
  )
}
