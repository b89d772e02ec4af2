import { useId } from 'preact/hooks'
import type { FieldItem } from '../../api/types.ts'
import { Icon } from '../../ui/icon.tsx'
import { Control, type Form } from './control.tsx'
import type { FormRow, Texts } from './entries.ts'
import { rowFieldName } from './read-form-inputs.ts'

interface RowFieldsProps {
  list: string
  fields: readonly FieldItem[]
  row: FormRow
  index: number
  wrong: Readonly<Record<string, string>>
  form: Form
  change: (index: number, texts: Texts) => void
  remove: (index: number) => void
}

/** One object of a list, with a cell for each field. The errors of a field are below it. */
export function RowFields({ list, fields, row, index, wrong, form, change, remove }: RowFieldsProps) {
  const id = useId()
  return (
    <tr data-index={index}>
      <td class="right figure" data-label="Row">
        {index + 1}
      </td>
      {fields.map((field) => {
        const why = wrong[rowFieldName(list, index, field.name)] ?? wrong[`${list}[${index}]`]
        const about = {
          id: `${id}-${field.name}`,
          'aria-label': `${field.name} of row ${index + 1}`,
          'aria-describedby': `${id}-${field.name}-wrong`,
          'aria-invalid': why !== undefined,
          'aria-required': field.required,
        }
        return (
          <td key={field.name} class="list-field-cell" data-label={field.name}>
            <Control
              field={field}
              form={form}
              about={about}
              text={row.texts[field.name] ?? ''}
              onText={(text) => change(index, { ...row.texts, [field.name]: text })}
            />
            <small id={`${id}-${field.name}-wrong`} class="wrong">
              {why}
            </small>
          </td>
        )
      })}
      <td class="right list-field-remove">
        <button type="button" class="bare" data-remove title="Remove" onClick={() => remove(index)}>
          <Icon name="close" />
          <span class="hidden">Remove row {index + 1}</span>
        </button>
      </td>
    </tr>
  )
}
