import { WithdrawDialog } from '../../actions/slot-dialogs.tsx'
import type { RemovedScheduleItem } from '../../api/types.ts'
import { triggerKey } from '../../runs/run-link.tsx'
import { DialogButton } from '../../ui/modal.tsx'
import { Section } from '../../ui/page.tsx'
import { actsColumn, type Column, Rows } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'

/** The schedules that are no longer in any document but still have slots that are due. */
export function RemovedSection({ removed }: { removed: readonly RemovedScheduleItem[] }) {
  return (
    <Section title="Removed schedules" count={removed.length}>
      <Rows label="Removed schedules" rows={removed} columns={COLUMNS} keyOf={triggerKey} />
    </Section>
  )
}

const COLUMNS: readonly Column<RemovedScheduleItem>[] = [
  ['Pipeline', (one) => <Names {...one} />, 'name'],
  ['Due slots', ({ message }) => message, 'text'],
  ['First', ({ firstAt }) => <Time at={firstAt} />],
  ['Last', ({ lastAt }) => <Time at={lastAt} />],
  actsColumn(({ pipeline, trigger }) => (
    <DialogButton
      text="Withdraw…"
      about={`${pipeline} ${trigger}`}
      // The time zone is gone with the document.
      dialog={() => <WithdrawDialog schedule={{ pipeline, trigger, timezone: 'UTC' }} />}
    />
  )),
]

/** Not a link, because the pipeline may be gone, too. */
function Names({ pipeline, trigger }: RemovedScheduleItem) {
  return (
    <>
      <bdi>{pipeline}</bdi>
      <span class="under">{trigger}</span>
    </>
  )
}
