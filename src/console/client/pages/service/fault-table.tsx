import { formatNumber } from '../../../../core/format/figures.ts'
import { post } from '../../api/request.ts'
import type { Fault } from '../../api/types.ts'
import { to } from '../../router/location.ts'
import { may } from '../../shell/me.ts'
import { ActDialog } from '../../ui/act-dialog.tsx'
import { openModal } from '../../ui/modal.tsx'
import { Head, Table } from '../../ui/table.tsx'
import { faultText, isUsedUp } from './fault-text.ts'

const HEAD = (
  <>
    <Head>Fault</Head>
    <Head>What it does</Head>
    <Head right>Fitting requests</Head>
    <Head right>Applied to</Head>
    <Head>
      <span class="hidden">Actions</span>
    </Head>
  </>
)

/** The faults that are on, oldest first. */
export function FaultTable({ faults, reload }: { readonly faults: readonly Fault[]; readonly reload: () => void }) {
  return (
    <Table label="Faults" head={HEAD}>
      {faults.map((fault) => (
        <Row key={fault.id} fault={fault} reload={reload} />
      ))}
    </Table>
  )
}

function Row({ fault, reload }: { readonly fault: Fault; readonly reload: () => void }) {
  const { id, operation, seen, applied } = fault
  const requests = to('/service/requests', operation === '*' ? {} : { operation })
  return (
    <tr>
      <td>{id}</td>
      <td class="text">
        {textOf(fault)}
        {isUsedUp(fault) && <span class="chip">used up</span>}
      </td>
      <td class="right">
        <a class="figure" href={requests}>
          {formatNumber(seen)}
          <span class="hidden"> requests</span>
        </a>
      </td>
      <td class="right figure">{formatNumber(applied)}</td>
      <td class="right">
        {may('operator') && (
          <button
            type="button"
            onClick={() => openModal((onClose) => <OffDialog fault={fault} done={reload} onClose={onClose} />)}
          >
            Switch off…<span class="hidden"> {id}</span>
          </button>
        )}
      </td>
    </tr>
  )
}

function OffDialog({
  fault,
  done,
  onClose,
}: {
  readonly fault: Fault
  readonly done: () => void
  readonly onClose: () => void
}) {
  const act = async (reason: { readonly reason?: string }) => {
    const { id } = await post('/service/faults/{fault}/remove', { fault: fault.id, ...reason })
    return `Fault ${id} is off`
  }
  return (
    <ActDialog title={`Switch fault ${fault.id} off`} button="Switch it off" {...{ act, done, onClose }}>
      <p>{textOf(fault)}.</p>
      <p>Requests are answered as usual again, unless another fault applies to them. Its counts are forgotten.</p>
    </ActDialog>
  )
}

function textOf({ retryAfter, ...fault }: Fault): string {
  return faultText({ ...fault, ...(retryAfter !== undefined && { retryAfter: String(retryAfter) }) })
}
