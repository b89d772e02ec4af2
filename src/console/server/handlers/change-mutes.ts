import { mutePipelines } from '../../../acts/mute-pipelines.ts'
import { isoTime } from '../../../core/iso-time.ts'
import type { Handler } from '../call.ts'
import { actorOfCaller } from '../caller.ts'

export const mute: Handler<'mutes.add'> = async (deps, { pipelines, until, reason }, { caller }) => {
  const { state, clock } = deps
  const end = Date.parse(until)
  const loaded = [...deps.documents().keys()]
  const known = { mutes: state.mutes, runs: state.runs, loaded, clock }
  await mutePipelines({ pipelines, until: end }, actorOfCaller(caller, reason), known)
  return { until: isoTime(end) }
}

export const unmute: Handler<'mutes.end'> = async ({ state, clock }, { pipelines, reason }, { caller }) => ({
  ended: await state.mutes.unmute(pipelines, clock.now(), actorOfCaller(caller, reason)),
})
