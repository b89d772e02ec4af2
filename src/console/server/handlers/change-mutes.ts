import { mutePipelines } from '../../../acts/mute-pipelines.ts'
import { isoTime } from '../../../core/iso-time.ts'
import type { Handler } from '../call.ts'
import { actorOfCaller } from '../caller.ts'

export const mute: Handler<'mutes.add'> = async ({ state, clock }, { pipelines, until, reason }, { caller }) => {
  const end = Date.parse(until)
  await mutePipelines({ pipelines, until: end }, actorOfCaller(caller, reason), { mutes: state.mutes, clock })
  return { until: isoTime(end) }
}

export const unmute: Handler<'mutes.end'> = async ({ state, clock }, { pipelines, reason }, { caller }) => ({
  ended: await state.mutes.unmute(pipelines, clock.now(), actorOfCaller(caller, reason)),
})
