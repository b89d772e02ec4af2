import { useSignal } from '@preact/signals'
import { useId, useLayoutEffect, useRef } from 'preact/hooks'
import { count } from '../../../../core/format/figures.ts'
import type { InputItem } from '../../api/types.ts'
import { Pager } from '../../ui/pager.tsx'
import { Head, Table } from '../../ui/table.tsx'
import type { Form } from './control.tsx'
import { type FormRow, formRows, type Texts } from './entries.ts'
import { ListImport } from './list-import.tsx'
import { RowFields } from './row-fields.tsx'

const PAGE = 50

interface ListFieldProps {
  input: InputItem
  rows: readonly FormRow[]
  wrong: Readonly<Record<string, string>>
  form: Form
  onRows: (rows: readonly FormRow[]) => void
}

/** A list of objects. Each object is a row with a field for each value. A file can replace all rows. */
export function ListField({
  input: { name, required, description, fields = [] },
  rows,
  wrong,
  form,
  onRows,
}: ListFieldProps) {
  const id = useId()
  const frame = useRef<HTMLFieldSetElement>(null)
  const offset = useSignal(0)
  const wanted = useRef<string>(undefined)
  const nextId = Math.max(-1, ...rows.map((row) => row.id)) + 1
  const pageOf = (index: number) => Math.max(0, Math.floor(index / PAGE) * PAGE)
  useLayoutEffect(() => {
    const first = rows.findIndex((_, index) => Object.keys(wrong).some((part) => part.startsWith(`${name}[${index}]`)))
    if (first >= 0) offset.value = pageOf(first)
  }, [wrong])
  useLayoutEffect(() => {
    if (wanted.current === undefined) return
    frame.current?.querySelector<HTMLElement>(wanted.current)?.focus()
    wanted.current = undefined
  })
  const add = () => {
    onRows([...rows, ...formRows([{}], nextId)])
    offset.value = pageOf(rows.length)
    wanted.current = `[data-index="${rows.length}"] :is(input, select)`
  }
  const remove = (at: number) => {
    onRows(rows.filter((_, index) => index !== at))
    offset.value = Math.min(offset.value, pageOf(rows.length - 2))
    const next = Math.min(at, rows.length - 2)
    wanted.current = next < 0 ? '[data-add]' : `[data-index="${next}"] [data-remove]`
  }
  const change = (at: number, texts: Texts) =>
    onRows(rows.map((row, index) => (index === at ? { ...row, texts } : row)))
  const shown = rows.slice(offset.value, offset.value + PAGE)
  return (
    <fieldset class="field list-field" ref={frame} aria-describedby={`${id}-help`}>
      <legend>
        <bdi>{name}</bdi> <small class="muted">{required ? 'list, required' : 'list'}</small>
      </legend>
      <small id={`${id}-help`} class="muted">
        {description} {count(rows.length, 'row')}.
      </small>
      {rows.length > 0 && (
        <Table label={`Rows of ${name}`} head={<Heads fields={fields} />} dense>
          {shown.map((row, place) => {
            const index = offset.value + place
            return <RowFields key={row.id} {...{ list: name, fields, row, index, wrong, form, change, remove }} />
          })}
        </Table>
      )}
      {rows.length > PAGE && <Pager what="Rows" offset={offset} total={rows.length} size={PAGE} />}
      <span>
        <button
          type="button"
          data-add
          onClick={add}
          aria-describedby={wrong[name] === undefined ? undefined : `${id}-wrong`}
        >
          Add a row<span class="hidden"> to {name}</span>
        </button>
      </span>
      <small id={`${id}-wrong`} class="wrong">
        {wrong[name]}
      </small>
      <ListImport
        name={name}
        fields={fields}
        onTexts={(texts) => {
          onRows(formRows(texts, nextId))
          offset.value = 0
        }}
      />
    </fieldset>
  )
}

function Heads({ fields }: { fields: NonNullable<InputItem['fields']> }) {
  return (
    <>
      <Head right>Row</Head>
      {fields.map(({ name, type, required }) => (
        <Head key={name}>
          {name} <small class="zone">{required ? `${type}, required` : type}</small>
        </Head>
      ))}
      <Head>
        <span class="hidden">Remove</span>
      </Head>
    </>
  )
}
