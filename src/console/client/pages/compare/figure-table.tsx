import { changeText, formatNumber } from '../../../../core/format/figures.ts'
import type { Comparison } from '../../api/types.ts'
import { words } from '../../format/words.ts'
import { type Column, Rows } from '../../ui/table.tsx'

interface FigureTableProps {
  figures: Comparison['figures']
  names: readonly [string, string]
}

/** The numbers in the outputs of two runs, side by side. */
export function FigureTable({ figures, names: [first, second] }: FigureTableProps) {
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
    [first, ({ a }) => shown(a), 'right figure'],
    [second, ({ b }) => shown(b), 'right figure'],
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

function shown(value: number | undefined): string {
  return value === undefined ? '–' : formatNumber(value)
}
