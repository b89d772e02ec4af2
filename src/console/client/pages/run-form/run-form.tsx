import { useEffect, useRef } from 'preact/hooks'
import { count } from '../../../../core/format/figures.ts'
import type { PipelineDetail } from '../../api/types.ts'
import { ReasonField } from '../../ui/fields.tsx'
import { Notice, ProblemNotice } from '../../ui/notice.tsx'
import { InputField } from './input-field.tsx'
import { ListField } from './list-field.tsx'
import { Plan } from './plan.tsx'
import { useRunForm } from './use-run-form.ts'

interface RunFormProps {
  detail: PipelineDetail
  /** The initial values, by the names of the inputs. Other inputs begin with their defaults. */
  given?: Readonly<Record<string, unknown>>
}

/** The form for the inputs. "Run now" appears once the plan for exactly these inputs has been shown. */
export function RunForm({ detail, given = {} }: RunFormProps) {
  const { entries, reason, plan, error, wrong, isBusy, form, change, showPlan, run } = useRunForm(detail, given)
  const frame = useRef<HTMLFormElement>(null)
  useEffect(() => {
    frame.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
  }, [wrong.value])
  const { inputs } = detail
  const wrongs = Object.keys(wrong.value).length
  const isWaiting = isBusy.value || form.uploads.value > 0
  return (
    <form
      class="run-form"
      ref={frame}
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        void showPlan()
      }}
    >
      {inputs.length === 0 && <p class="muted">This pipeline has no inputs.</p>}
      {inputs.map((input) => {
        const entry = entries.value[input.name] ?? ''
        const common = { key: input.name, input, form }
        return typeof entry === 'string' ? (
          <InputField
            {...common}
            text={entry}
            wrong={wrongOf(wrong.value, input.name)}
            onText={(text) => change(input.name, text)}
          />
        ) : (
          <ListField {...common} rows={entry} wrong={wrong.value} onRows={(rows) => change(input.name, rows)} />
        )
      })}
      <ReasonField value={reason} />
      {wrongs > 0 && !error.value && (
        <Notice tone="bad" icon="warning">
          {count(wrongs, 'field is wrong', 'fields are wrong')}.
        </Notice>
      )}
      {error.value && <ProblemNotice error={error.value} />}
      <div aria-live="polite">{plan.value && <Plan plan={plan.value} />}</div>
      <div class="actions">
        <button type="submit" class={plan.value ? undefined : 'primary'} aria-disabled={isWaiting}>
          {isWaiting && !plan.value ? 'One moment…' : plan.value ? 'Show the plan again' : 'Show the plan'}
        </button>
        {plan.value && (
          <button type="button" class="primary" aria-disabled={isWaiting} onClick={run}>
            Run now
          </button>
        )}
      </div>
    </form>
  )
}

/** The error of a single value, or of the first wrong value in a list. */
function wrongOf(wrong: Readonly<Record<string, string>>, name: string): string | undefined {
  return wrong[name] ?? Object.entries(wrong).find(([part]) => part.startsWith(`${name}[`))?.[1]
}
