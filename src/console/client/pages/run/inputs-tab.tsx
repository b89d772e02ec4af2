import type { RunDetail } from '../../api/types.ts'
import { valueText } from '../../format/value-text.ts'
import { Empty } from '../../ui/notice.tsx'
import { Section } from '../../ui/page.tsx'
import { Head, Table } from '../../ui/table.tsx'

/** What the run was given, and what it put out. */
export function InputsTab({ detail: { inputs, trigger, outputs } }: { readonly detail: RunDetail }) {
  return (
    <>
      <Values title="Inputs" values={inputs} none="The run has no inputs." />
      <Values title="Trigger" values={trigger} none="A person started it." />
      <Values title="Outputs" values={outputs ?? {}} none="The run put nothing out." />
    </>
  )
}

function Values({
  title,
  values,
  none,
}: {
  readonly title: string
  readonly values: Readonly<Record<string, unknown>>
  readonly none: string
}) {
  const entries = Object.entries(values)
  const head = (
    <>
      <Head>Name</Head>
      <Head>Value</Head>
    </>
  )
  return (
    <Section title={title}>
      {entries.length === 0 ? (
        <Empty>{none}</Empty>
      ) : (
        <Table label={title} head={head} dense>
          {entries.map(([name, value]) => (
            <tr key={name}>
              <td class="name">{name}</td>
              <td class="text">
                <bdi>{valueText(value)}</bdi>
              </td>
            </tr>
          ))}
        </Table>
      )}
    </Section>
  )
}
