import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { type ApiError, asApiError } from '../api/api-error.ts'
import { post } from '../api/request.ts'
import type { PostAnswer, PostInput } from '../api/types.ts'

type SlotAct = '/schedules/{pipeline}/{trigger}/backfill' | '/schedules/{pipeline}/{trigger}/withdraw'

/** What an act on the slots of a schedule would do; nothing is asked while there is no input. */
export function usePreview<Path extends SlotAct>(
  path: Path,
  input: PostInput<Path> | undefined,
): { readonly answer?: PostAnswer<Path>; readonly error?: ApiError } {
  const preview = useSignal<{ readonly answer?: PostAnswer<Path>; readonly error?: ApiError }>({})
  useEffect(() => {
    let isCurrent = true
    const show = (shown: typeof preview.value) => {
      if (isCurrent) preview.value = shown
    }
    show({})
    if (input)
      post(path, { ...input, dryRun: true }).then(
        (answer) => show({ answer }),
        (failure: unknown) => show({ error: asApiError(failure) }),
      )
    return () => {
      isCurrent = false
    }
  }, [JSON.stringify(input)])
  return preview.value
}
