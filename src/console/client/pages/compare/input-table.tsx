import type { Comparison } from '../../api/types.ts'
import { valueText } from '../../format/value-text.ts'
import { type Column, Rows } from '../../ui/table.tsx'

interface InputTableProps {
  inputs: Comparison['inputs']
  names: readonly [string, string]
}

/** The inputs of two runs, side by side. */
export function InputTable({ inputs, names: [first, second] }: InputTableProps) {
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
