import { may } from '../../shell/me.ts'
import { Loaded } from '../../ui/loaded.tsx'
import { openModal } from '../../ui/modal.tsx'
import { Empty } from '../../ui/notice.tsx'
import { FaultDialog } from './fault-dialog.tsx'
import { FaultTable } from './fault-table.tsx'
import { ServicePage } from './service-page.tsx'
import { useServiceRead } from './use-service-read.ts'

/** What fails on purpose. */
export function FaultsPage() {
  const read = useServiceRead('/service/faults', {})
  const { data, reload } = read
  const actions = data && may('operator') && (
    <button
      type="button"
      class="primary"
      onClick={() => openModal((onClose) => <FaultDialog choices={data.operations} done={reload} onClose={onClose} />)}
    >
      Switch a fault on…
    </button>
  )
  return (
    <ServicePage title="Faults" actions={actions}>
      <Loaded read={read} rows={4}>
        {({ faults }) =>
          faults.length === 0 ? (
            <Empty>No fault is switched on: every request gets its answer.</Empty>
          ) : (
            <>
              <p class="muted under-tabs">Of several that apply, the oldest is taken. All end when the service ends.</p>
              <FaultTable faults={faults} reload={reload} />
            </>
          )
        }
      </Loaded>
    </ServicePage>
  )
}
