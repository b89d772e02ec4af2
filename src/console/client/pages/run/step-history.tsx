import type { ComponentChildren } from 'preact'
import type { RunDetail, StepItem } from '../../api/types.ts'
import { to } from '../../router/location.ts'
import { me } from '../../shell/me.ts'
import { ErrorText } from '../../ui/notice.tsx'
import { Time } from '../../ui/time.tsx'

interface StepHistoryProps {
  step: StepItem
  /** The service of the run. */
  service: RunDetail['service']
}

/** The history of a step: failed attempts, jobs at the service, records, and decisions of people. */
export function StepHistory({ step: { attempts, jobs, effects, decisions }, service }: StepHistoryProps) {
  const isShown = me.value?.synthetic && me.value.service === service
  const failed = attempts.filter(({ error }) => error !== undefined)
  return (
    <>
      {decisions.length > 0 && (
        <Group title="Decisions">
          {decisions.map(({ decision, at, by, comment }) => (
            <li key={at}>
              <strong>{decision}</strong>
              {by !== undefined && (
                <>
                  {' by '}
                  <bdi>{by}</bdi>
                </>
              )}
              , <Time at={at} withZone />
              {comment !== undefined && <div>“{comment}”</div>}
            </li>
          ))}
        </Group>
      )}
      {failed.length > 0 && attempts.length > 1 && (
        <Group title="Failed attempts">
          {failed.map(({ attempt, startedAt, error = {}, retryAt }) => (
            <li key={attempt}>
              Attempt {attempt}, <Time at={startedAt} withZone />
              <ErrorText error={error} />
              {retryAt !== undefined && (
                <div class="muted">
                  next attempt <Time at={retryAt} withZone />
                </div>
              )}
            </li>
          ))}
        </Group>
      )}
      {jobs.length > 0 && (
        <Group title="Jobs at the service">
          {jobs.map(({ jobId, status, at }) => (
            <li key={`${jobId} ${at}`}>
              <code>{isShown ? <a href={to('/service/jobs', { id: jobId })}>{jobId}</a> : jobId}</code> {status}{' '}
              <span class="muted">
                <Time at={at} withZone />
              </span>
            </li>
          ))}
        </Group>
      )}
      {effects.length > 0 && (
        <Group title="Recorded">
          <EffectList effects={effects} />
        </Group>
      )}
    </>
  )
}

function Group({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <div>
      <h3>{title}</h3>
      <ul class="history">{children}</ul>
    </div>
  )
}

/** The writes that a step recorded, as entries of a list. */
export function EffectList({ effects }: Pick<StepItem, 'effects'>) {
  return effects.map(({ name, at }) => (
    <li key={`${name} ${at}`}>
      {name}{' '}
      <span class="muted">
        <Time at={at} withZone />
      </span>
    </li>
  ))
}
