import { shortCommit } from '../../../../core/format/short-commit.ts'
import type { RunDetail } from '../../api/types.ts'
import { StartedBy } from '../../runs/run-cells.tsx'
import { CommitLink, RunLink } from '../../runs/run-link.tsx'
import { me } from '../../shell/me.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Facts } from '../../ui/facts.tsx'
import { ErrorText, Notice } from '../../ui/notice.tsx'
import { Time } from '../../ui/time.tsx'
import { commandsOf } from './commands.ts'

/** The facts about a run as a whole. */
export function RunSummary({ detail }: { detail: RunDetail }) {
  const { run, trigger, git, queued, lastGood, service, error, cancelled } = detail
  return (
    <div class="run-facts">
      {run.status === 'failed' && error !== undefined && (
        <Notice tone="bad" icon="cross">
          <ErrorText error={error} />
        </Notice>
      )}
      {queued && <Queued queued={queued} />}
      <Facts
        items={[
          ['Started by', <StartedBy key="by" run={run} />],
          ['Came after', trigger.kind === 'after' && <EndedRuns key="after" trigger={trigger} />],
          ['Submitted', <Time key="at" at={run.submittedAt} withZone />],
          ['Began', run.beganAt && <Time at={run.beganAt} withZone />],
          ['Ended', run.finishedAt && <Time at={run.finishedAt} withZone />],
          ['Cancelled', cancelled && <Signed signed={cancelled} />],
          ['Acknowledged', run.acknowledged && <Signed signed={run.acknowledged} />],
          ['Commit', git && <Commit git={git} />],
          [
            'Service',
            service && (
              <>
                {run.profile}
                <span class="under">{service}</span>
              </>
            ),
          ],
          ['Worked on by', run.owner],
          ['Last good run before this one', lastGood !== undefined && <RunLink runId={lastGood} />],
        ]}
      />
      <CommandList detail={detail} />
    </div>
  )
}

/** The ended runs after which a trigger started this run. */
function EndedRuns({ trigger: { runs } }: Pick<RunDetail, 'trigger'>) {
  const ended = Object.entries(runs as Record<string, { readonly runId: string }>)
  return ended.map(([pipeline, { runId }]) => (
    <span key={runId} class="under">
      {pipeline} <RunLink runId={runId} />
    </span>
  ))
}

function Queued({ queued }: { queued: NonNullable<RunDetail['queued']> }) {
  return (
    <Notice tone="quiet" icon="queued">
      <span>
        It is waiting{queued.group !== undefined && ` for its group ${queued.group}`}
        {queued.behind !== undefined && (
          <>
            {' '}
            behind run <RunLink runId={queued.behind} />
          </>
        )}
        .
      </span>
    </Notice>
  )
}

function Signed({ signed: { at, by, comment } }: { signed: NonNullable<RunDetail['cancelled']> }) {
  return (
    <>
      <Time at={at} withZone />
      {by !== undefined && ` by ${by}`}
      {comment !== undefined && <span class="under">“{comment}”</span>}
    </>
  )
}

function Commit({ git }: { git: NonNullable<RunDetail['git']> }) {
  return (
    <>
      {me.value?.deploys && !git.dirty ? (
        <CommitLink commit={git.commit} />
      ) : (
        <code title={git.commit}>{shortCommit(git.commit)}</code>
      )}
      {git.dirty && <span class="chip wait">differs from the commit</span>}
    </>
  )
}

function CommandList({ detail }: { detail: RunDetail }) {
  return (
    <details class="disclosure commands">
      <summary>On the command line</summary>
      <ul class="history">
        {commandsOf(detail).map((command) => (
          <li key={command}>
            <code class="break">{command}</code> <CopyButton text={command} what="Command" />
          </li>
        ))}
      </ul>
    </details>
  )
}
