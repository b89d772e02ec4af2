import { WAITS_FOR, type WaitReason } from '../../core/run.ts'

/** A step of a run, or of a run that it started, that continues only when somebody else acts. */
export interface OpenWait {
  readonly runId: string
  /** The step execution as people write it. */
  readonly step: string
  readonly reason: WaitReason | 'partner'
  /** RFC 3339. */
  readonly since: string
  /** For a partner: the job at the service, and who must approve it, if known: `partner 2005`. */
  readonly jobId?: string
  readonly counterpart?: string | undefined
  /** The commands with which a person answers. */
  readonly commands: readonly string[]
}

/** `an approval`, `a partner`. */
export function describeWait({ reason, jobId, counterpart = 'a partner' }: OpenWait): string {
  return reason === 'partner' ? `${counterpart} (job ${jobId})` : WAITS_FOR[reason]
}
