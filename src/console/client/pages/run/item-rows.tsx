import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { formatNumber } from '../../../../core/format/figures.ts'
import type { StepItem } from '../../api/types.ts'
import { useRead } from '../../api/use-read.ts'
import { ofRun } from '../../live/changes.ts'
import { place } from '../../router/location.ts'
import { Pager } from '../../ui/pager.tsx'
import { SearchField } from '../../ui/search-field.tsx'
import { type RowsShown, StepRow } from './step-row.tsx'

const PAGE = 100
const FOLDED_FROM = 20

/** The items of a forEach below its row, one page at a time. Failed and waiting items come first. */
export function ItemRows({ step, shown }: { step: StepItem; shown: RowsShown }) {
  const { runId } = shown
  const offset = useSignal(0)
  const q = place.value.query.get('items') ?? ''
  const input = { runId, step: step.step, q: q || undefined, offset: offset.value, limit: PAGE }
  const { data, error } = useRead('runs.steps', input, ofRun(runId))
  const total = data?.total ?? step.items?.total ?? 0
  if (error && !data) return <Note>{error.message}</Note>
  return (
    <>
      {(step.items?.total ?? 0) > FOLDED_FROM && (
        <Note>
          <SearchField
            name="items"
            label={`Search the items of ${step.step}`}
            hint="Name, key or error"
            onSearch={() => (offset.value = 0)}
          />
        </Note>
      )}
      {!data && <Note>Loading {formatNumber(total)} items</Note>}
      {data && total === 0 && <Note>No item matches.</Note>}
      {data?.steps.map((item) => (
        <ItemRow key={item.ref} item={item} shown={shown} />
      ))}
      {total > PAGE && (
        <Note>
          <Pager what="Items" offset={offset} total={total} size={PAGE} />
        </Note>
      )}
    </>
  )
}

/** An item. If it is chosen and has its own steps, these steps are below it. */
function ItemRow({ item, shown }: { item: StepItem; shown: RowsShown }) {
  const { runId, chosen } = shown
  const { step, index } = item
  const id = chosen.index === index ? 'runs.steps' : undefined
  const inner = useRead(id, { runId, step, index }, ofRun(runId))
  return (
    <>
      <StepRow step={item} shown={shown} />
      {inner.data?.steps.map((one) => (
        <StepRow key={one.ref} step={one} shown={shown} />
      ))}
    </>
  )
}

function Note({ children }: { children: ComponentChildren }) {
  return (
    <tr class="child">
      <td class="name muted" colSpan={4}>
        {children}
      </td>
    </tr>
  )
}
