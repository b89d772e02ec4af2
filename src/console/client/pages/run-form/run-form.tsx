import { useSignal } from '@preact/signals'
import { useRef } from 'preact/hooks'
import { type ApiError, asApiError } from '../../api/api-error.ts'
import { post } from '../../api/request.ts'
import type { PipelineDetail, PostAnswer } from '../../api/types.ts'
import { go } from '../../router/location.ts'
import { runAddress } from '../../runs/run-link.tsx'
import { Problem } from '../../ui/notice.tsx'
import { toast } from '../../ui/toasts.tsx'
import { freshKey } from './fresh-key.ts'
import { InputField } from './input-field.tsx'
import { Plan } from './plan.tsx'
import { readInputs, startText } from './read-inputs.ts'

/** The form of the inputs. "Run now" is there once the plan of exactly these inputs was shown. */
export function RunForm({ detail: { pipeline, inputs } }: { readonly detail: PipelineDetail }) {
  const texts = useSignal<Readonly<Record<string, string>>>(
    Object.fromEntries(inputs.map((input) => [input.name, startText(input)])),
  )
  const reason = useSignal('')
  const plan = useSignal<PostAnswer<'/plan'> | undefined>(undefined)
  const error = useSignal<ApiError | undefined>(undefined)
  const wrong = useSignal<Readonly<Record<string, string>>>({})
  const isBusy = useSignal(false)
  const key = useRef(freshKey())

  const attempt = async (work: (values: Readonly<Record<string, unknown>>) => Promise<void>) => {
    const read = readInputs(inputs, texts.value)
    wrong.value = read.wrong
    if (isBusy.value || Object.keys(read.wrong).length > 0) return
    isBusy.value = true
    error.value = undefined
    try {
      await work(read.values)
    } catch (failure) {
      error.value = asApiError(failure)
      wrong.value = error.value.fields
    } finally {
      isBusy.value = false
    }
  }
  const showPlan = (event: Event) => {
    event.preventDefault()
    void attempt(async (values) => {
      plan.value = await post('/plan', { pipeline: pipeline.name, inputs: values })
    })
  }
  const run = () =>
    attempt(async (values) => {
      const why = reason.value.trim()
      const given = { pipeline: pipeline.name, inputs: values, ...(why !== '' && { reason: why }) }
      const started = await post('/runs', given, { key: key.current })
      toast(
        started.state === 'skipped'
          ? 'Skipped: its group is full. This run is in the way.'
          : `The run is ${started.state}`,
      )
      go(runAddress(started.runId))
    })
  const change = (name: string, text: string) => {
    texts.value = { ...texts.value, [name]: text }
    plan.value = undefined
    key.current = freshKey()
  }
  return (
    <form class="run-form" onSubmit={showPlan}>
      {inputs.length === 0 && <p class="muted">This pipeline has no inputs.</p>}
      {inputs.map((input) => (
        <InputField
          key={input.name}
          input={input}
          text={texts.value[input.name] ?? ''}
          wrong={wrong.value[input.name]}
          onText={change}
        />
      ))}
      <label class="field">
        Reason, for the audit log
        <input
          value={reason}
          maxLength={1000}
          placeholder="optional"
          onInput={({ currentTarget }) => {
            reason.value = currentTarget.value
          }}
        />
      </label>
      {error.value && <Problem error={error.value} />}
      <div aria-live="polite">{plan.value && <Plan plan={plan.value} />}</div>
      <div class="actions">
        <button type="submit" class={plan.value ? undefined : 'primary'} aria-disabled={isBusy.value}>
          {isBusy.value && !plan.value ? 'One moment…' : plan.value ? 'Show the plan again' : 'Show the plan'}
        </button>
        {plan.value && (
          <button type="button" class="primary" aria-disabled={isBusy.value} onClick={run}>
            Run now
          </button>
        )}
      </div>
    </form>
  )
}
