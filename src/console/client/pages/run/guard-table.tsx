import type { Step } from '../../api/types.ts'
import { Section } from '../../ui/page.tsx'
import { Head, Table } from '../../ui/table.tsx'
import { expectedText, GuardValue } from './guard-facts.tsx'

/** What the guards of a run measured, beside what was expected. */
export function GuardTable({ steps }: { readonly steps: readonly Step[] }) {
  const guarded = steps.flatMap(({ ref, guard }) => (guard ? [{ ref, guard }] : []))
  if (guarded.length === 0) return null
  const head = (
    <>
      <Head>Step</Head>
      <Head right>Measured</Head>
      <Head>Expected</Head>
      <Head>Verdict</Head>
    </>
  )
  return (
    <Section title="Guards">
      <Table label="Guards" head={head} dense>
        {guarded.map(({ ref, guard }) => (
          <tr key={ref}>
            <td class="name">{ref}</td>
            <td class="right">
              <GuardValue guard={guard} />
            </td>
            <td class="text">{expectedText(guard)}</td>
            <td>{guard.verdict}</td>
          </tr>
        ))}
      </Table>
    </Section>
  )
}
