import { dropAgain } from '../../../acts/drop-again.ts'
import type { Handler } from '../call.ts'
import { actorOfCaller } from '../caller.ts'
import { findTrigger } from '../trigger-facts.ts'

export const retryFile: Handler<'files.retry'> = async (deps, input, { caller }) => {
  const { pipeline, trigger: id, key, reason } = input
  const { document, trigger } = findTrigger(deps, 'watch', { pipeline, trigger: id })
  const asked = { watch: { ...document, trigger }, key, givers: [caller.by] }
  return { file: await dropAgain(asked, actorOfCaller(caller, reason), deps) }
}
