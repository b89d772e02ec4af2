import { changeText, formatNumber } from '../../../../core/format/figures.ts'
import type { Comparison } from '../../api/types.ts'
import { valueText } from '../../format/value-text.ts'
import { words } from '../../format/words.ts'
import { type Column, orDash, Rows } from '../../ui/table.tsx'

interface CompareTableProps {
  compared: Comparison
  /** The names of the two runs in the headings. */
  names: readonly [string, string]
}

/** The numbers in the outputs of two runs, side by side. */
export function FigureTable({ compared: { figures }, names: [first, second] }: CompareTableProps) {
  const columns: readonly Column<Comparison['figures'][number]>[] = [
    [
      'Figure',
      ({ name, step }) => (
        <>
          {words(name)} <span class="muted">of {step}</span>
        </>
      ),
      'name',
    ],
    [first, ({ a }) => orDash(a, formatNumber), 'right figure'],
    [second, ({ b }) => orDash(b, formatNumber), 'right figure'],
    ['Change', ({ a, b }) => changeText(a, b), 'right figure'],
  ]
  return (
    <Rows
      label="Figures of both runs"
      rows={figures}
      columns={columns}
      keyOf={({ step, name }) => `${step} ${name}`}
      empty="Neither run has numbers in its outputs yet."
      dense
    />
  )
}

/** The inputs of two runs, side by side. */
export function InputTable({ compared: { inputs }, names: [first, second] }: CompareTableProps) {
  const columns: readonly Column<Comparison['inputs'][number]>[] = [
    [
      'Input',
      ({ name, same }) => (
        <>
          {name} {!same && <span class="chip wait">differs</span>}
        </>
      ),
      'name',
    ],
    [first, ({ a }) => valueText(a), 'text'],
    [second, ({ b }) => valueText(b), 'text'],
  ]
  return (
    <Rows
      label="Inputs of both runs"
      rows={inputs}
      columns={columns}
      keyOf={({ name }) => name}
      empty="Neither run has inputs."
      dense
    />
  )
}
