import { useSignal } from '@preact/signals'
import { count } from '../../../../core/format/figures.ts'
import type { FieldItem } from '../../api/types.ts'
import { FilePick } from '../../ui/file-pick.tsx'
import type { Texts } from './entries.ts'
import { readImportedRows } from './read-imported-rows.ts'

interface ListImportProps {
  name: string
  fields: readonly FieldItem[]
  onTexts: (texts: readonly Texts[]) => void
}

/** Reads all rows at once from a JSON or CSV file, or from pasted text. */
export function ListImport({ name, fields, onTexts }: ListImportProps) {
  const pasted = useSignal('')
  const said = useSignal<{ readonly isBad: boolean; readonly text: string } | undefined>(undefined)
  const read = (text: string, from: string) => {
    try {
      const rows = readImportedRows(text, fields)
      onTexts(rows)
      said.value = { isBad: false, text: `${count(rows.length, 'row')} from ${from}` }
      pasted.value = ''
    } catch (error) {
      said.value = { isBad: true, text: `Nothing was read from ${from}: ${(error as Error).message}` }
    }
  }
  const names = fields.map((field) => field.name).join(',')
  return (
    <details class="disclosure">
      <summary>Read all rows from a file, or paste them</summary>
      <div class="field">
        <small class="muted">
          JSON, a list of objects; or CSV whose first line is <code>{names}</code>. It replaces the rows above.
        </small>
        <textarea
          aria-label={`Rows of ${name} as JSON or CSV`}
          value={pasted}
          onInput={({ currentTarget }) => (pasted.value = currentTarget.value)}
          rows={4}
          spellcheck={false}
        />
        <span class="actions">
          <button
            type="button"
            aria-disabled={pasted.value.trim() === ''}
            onClick={() => pasted.value.trim() !== '' && read(pasted.value, 'the text')}
          >
            Use the text
          </button>
          <FilePick
            text="Read a file…"
            about={`into ${name}`}
            accept=".json,.csv,.txt"
            onFile={async (file) => read(await file.text(), file.name)}
          />
        </span>
        <small role="status" class={said.value?.isBad ? 'bad' : 'good'}>
          {said.value?.text}
        </small>
      </div>
    </details>
  )
}
