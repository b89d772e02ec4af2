import { formatNumber } from '../../../../core/format/figures.ts'
import type { Comparison } from '../../api/types.ts'
import { changeText } from '../../format/numbers.ts'
import { words } from '../../format/words.ts'
import { Empty } from '../../ui/notice.tsx'
import { Head, Table } from '../../ui/table.tsx'

/** The numbers that two runs put out, side by side. */
export function FigureTable({
  figures,
  names: [first, second],
}: {
  readonly figures: Comparison['figures']
  readonly names: readonly [string, string]
}) {
  if (figures.length === 0) return <Empty>Neither of them has put out numbers yet.</Empty>
  const head = (
    <>
      <Head>Figure</Head>
      <Head right>{first}</Head>
      <Head right>{second}</Head>
      <Head right>Change</Head>
    </>
  )
  return (
    <Table label="Figures of both runs" head={head} dense>
      {figures.map(({ step, name, a, b }) => (
        <tr key={`${step} ${name}`}>
          <td class="name">
            {words(name)} <span class="muted">of {step}</span>
          </td>
          <td class="right figure">{shown(a)}</td>
          <td class="right figure">{shown(b)}</td>
          <td class="right figure">{changeText(a, b)}</td>
        </tr>
      ))}
    </Table>
  )
}

function shown(value: number | undefined): string {
  return value === undefined ? '–' : formatNumber(value)
}
