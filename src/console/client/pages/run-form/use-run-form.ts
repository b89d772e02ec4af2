import { useSignal } from '@preact/signals'
import { useRef } from 'preact/hooks'
import type { ApiAnswerOf } from '../../../api/operations.ts'
import { asCallError, type CallError } from '../../api/call-error.ts'
import { post } from '../../api/request.ts'
import type { PipelineDetail } from '../../api/types.ts'
import { go } from '../../router/location.ts'
import { runAddress } from '../../runs/run-link.tsx'
import { toast } from '../../ui/toasts.tsx'
import { type FormEntry, startEntry } from './entries.ts'
import { readFormInputs } from './read-form-inputs.ts'

type Values = Readonly<Record<string, unknown>>

/** The content of the form, and its actions: first the plan for exactly these inputs, then the run. */
export function useRunForm({ pipeline: { name: pipeline }, inputs }: PipelineDetail, given: Values) {
  const entries = useSignal<Readonly<Record<string, FormEntry>>>(
    Object.fromEntries(
      inputs.map((input) => [input.name, startEntry({ ...input, default: given[input.name] ?? input.default })]),
    ),
  )
  const reason = useSignal('')
  const plan = useSignal<ApiAnswerOf<'plan.make'> | undefined>(undefined)
  const error = useSignal<CallError | undefined>(undefined)
  const wrong = useSignal<Readonly<Record<string, string>>>({})
  const isBusy = useSignal(false)
  const uploads = useSignal(0)
  const key = useRef(freshKey())

  const attempt = async (work: (values: Values) => Promise<void>) => {
    if (isBusy.value || uploads.value > 0) return
    const read = readFormInputs(inputs, entries.value)
    wrong.value = read.wrong
    error.value = undefined
    if (Object.keys(read.wrong).length > 0) return
    isBusy.value = true
    try {
      await work(read.values)
    } catch (failure) {
      error.value = asCallError(failure)
      wrong.value = error.value.fields
    } finally {
      isBusy.value = false
    }
  }
  return {
    entries,
    reason,
    plan,
    error,
    wrong,
    isBusy,
    form: { pipeline, uploads },
    change(name: string, entry: FormEntry) {
      entries.value = { ...entries.value, [name]: entry }
      plan.value = undefined
      key.current = freshKey()
    },
    showPlan: () =>
      attempt(async (values) => {
        plan.value = await post('plan.make', { pipeline, inputs: values })
      }),
    run: () =>
      attempt(async (values) => {
        const why = reason.value.trim()
        const given = { pipeline, inputs: values, reason: why || undefined }
        const { state, runId } = await post('runs.start', given, { key: key.current })
        toast(
          state === 'skipped'
            ? 'Skipped: its group is full. This page shows the run that blocks it.'
            : `The run is ${state}`,
        )
        go(runAddress(runId))
      }),
  }
}

/**
 * A key that keeps a repeated request from acting twice. `randomUUID` is not used, because it exists only for pages
 * over HTTPS or from this machine.
 */
function freshKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}
