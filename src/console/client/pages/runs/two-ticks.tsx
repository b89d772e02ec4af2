import type { Signal } from '@preact/signals'
import type { RunItem } from '../../api/types.ts'
import { compareAddress, shortId } from '../../runs/run-link.tsx'
import type { Column } from '../../ui/table.tsx'

/** The ticked runs, in the order in which they were ticked; at most two. */
type Ticked = Signal<readonly string[]>

/** Ticks a run, or removes its tick. A third tick removes the first one. */
function tick(ticked: readonly string[], runId: string): readonly string[] {
  return ticked.includes(runId) ? ticked.filter((one) => one !== runId) : [...ticked, runId].slice(-2)
}

/** A column of checkboxes. Two ticked runs can be compared. */
export function tickColumn(ticked: Ticked): Column<RunItem> {
  return [
    <span key="head" class="hidden">
      Compare
    </span>,
    ({ runId, pipeline }) => (
      <label class="tick">
        <input
          type="checkbox"
          checked={ticked.value.includes(runId)}
          onChange={() => (ticked.value = tick(ticked.value, runId))}
        />
        <span class="hidden">
          Compare run {shortId(runId)} of {pipeline}
        </span>
      </label>
    ),
    'tick-cell',
  ]
}

/** The actions for the ticked runs. They stay visible. */
export function TickedRuns({ ticked }: { ticked: Ticked }) {
  const [first, second] = ticked.value
  return (
    <div aria-live="polite" class="ticked">
      {first !== undefined && (
        <div class="toolbar">
          {second === undefined ? (
            <span>One run is ticked. Tick another one to compare the two.</span>
          ) : (
            <a class="button primary" href={compareAddress(first, second)}>
              Compare the two runs
            </a>
          )}
          <button type="button" class="bare" onClick={() => (ticked.value = [])}>
            Clear
          </button>
        </div>
      )}
    </div>
  )
}
