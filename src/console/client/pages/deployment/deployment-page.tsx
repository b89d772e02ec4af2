import { count } from '../../../../core/format/figures.ts'
import { shortCommit } from '../../../../core/format/short-commit.ts'
import { LookNowButton, PauseDeploymentsButton, RollBackButton } from '../../actions/deployment-dialogs.tsx'
import type { Deployed, DeploymentDetail } from '../../api/types.ts'
import { useRead } from '../../api/use-read.ts'
import { ofKind } from '../../live/changes.ts'
import { CommitLink } from '../../runs/run-link.tsx'
import { may } from '../../shell/me.ts'
import { Facts } from '../../ui/facts.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Page, Section } from '../../ui/page.tsx'
import type { StatusLook } from '../../ui/status.tsx'
import { actsColumn, type Column, InZone, Rows } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'

const STATES: Readonly<Record<DeploymentDetail['state'], StatusLook>> = {
  current: { tone: 'good', icon: 'check', text: 'The newest commit is in use.' },
  refused: { tone: 'bad', icon: 'cross', text: 'The newest commit is refused; the commit in use stays.' },
  unreachable: { tone: 'bad', icon: 'warning', text: 'The repository cannot be reached; the commit in use stays.' },
  'ref-gone': { tone: 'bad', icon: 'warning', text: 'The branch or tag is gone; the commit in use stays.' },
  paused: { tone: 'wait', icon: 'skip', text: 'Deployments are paused' },
  rolledBack: {
    tone: 'wait',
    icon: 'skip',
    text: 'Somebody went back to an earlier commit; the newest commit is skipped.',
  },
  unknown: { tone: 'quiet', icon: 'queued', text: 'The repository has not been checked yet.' },
}

/** The commit in use, the commit in the repository and its problems, and the latest deployments. */
export function DeploymentPage() {
  const read = useRead('deployment.get', {}, ofKind('beat', 'pipelines'))
  const { data } = read
  const actions = data && may('operator') && (
    <>
      <LookNowButton />
      <PauseDeploymentsButton paused={data.paused} />
    </>
  )
  return (
    <Page title="Deployment" actions={actions}>
      <Loaded read={read} rows={8}>
        {(deployment) => (
          <>
            <State deployment={deployment} />
            <Missing missing={deployment.missing} />
            <Section title="In use and in the repository">
              <Facts items={factsOf(deployment)} />
            </Section>
            <Problems remote={deployment.remote} />
            <Section title="Deployments">
              <Rows
                label="The last deployments, newest first"
                rows={deployment.deployments}
                columns={columnsOf(deployment)}
                keyOf={({ commit, at }) => commit + at}
                empty="Nothing has been deployed yet."
              />
            </Section>
          </>
        )}
      </Loaded>
    </Page>
  )
}

function State({ deployment: { state, paused, remote } }: { deployment: DeploymentDetail }) {
  const { tone, icon, text } = STATES[state]
  return (
    <Notice tone={tone} icon={icon}>
      <strong>{text}</strong>
      {paused && (
        <span>
          since <Time at={paused.at} withZone />
          {paused.by !== undefined && ` by ${paused.by}`}
          {paused.comment !== undefined && `: “${paused.comment}”`}
        </span>
      )}
      {!paused && remote && state !== 'current' && (
        <span>
          since <Time at={remote.since} withZone />
        </span>
      )}
    </Notice>
  )
}

/** The files of the commit in use are gone, so no run of its pipelines can begin. */
function Missing({ missing }: Pick<DeploymentDetail, 'missing'>) {
  if (!missing) return null
  const { folder, code, message, hint } = missing
  return (
    <Notice tone="bad" icon="warning">
      <strong>The files of the commit in use are gone.</strong> <span class="break">{folder}</span>
      <span class="under">
        {message === undefined ? 'The next check fetches them again.' : `They cannot be fetched again: ${message}.`}{' '}
        {hint}
      </span>
      {code !== undefined && <code>{code}</code>}
    </Notice>
  )
}

function factsOf({ url, ref, path, deployed, remote, skipped }: DeploymentDetail) {
  return [
    ['In use', deployed ? <Commit of={deployed} key="in" at={deployed.at} /> : 'nothing yet'],
    ['In the repository', remote?.commit !== undefined && <Commit of={{ ...remote, commit: remote.commit }} />],
    ['Last checked', remote && <Time at={remote.lookedAt} withZone />],
    ['Skipped', skipped !== undefined && <code title={skipped}>{shortCommit(skipped)}</code>],
    [
      'Repository',
      <>
        <span class="break">{url}</span>
        <span class="under">
          {ref}, folder {path === '' ? '/' : path}
        </span>
      </>,
    ],
  ] as const
}

type CommitFacts = Pick<Deployed, 'commit'> & Partial<Pick<Deployed, 'subject' | 'author'>>

/** A commit with its message. Only commits that have been in use have a page. */
function Commit({ of: { commit, subject, author }, at }: { of: CommitFacts; at?: string }) {
  return (
    <>
      {at === undefined ? <code title={commit}>{shortCommit(commit)}</code> : <CommitLink commit={commit} />}{' '}
      <bdi>{subject}</bdi>
      <span class="under">
        {author !== undefined && <bdi>{author}</bdi>}
        {at !== undefined && (
          <>
            , since <Time at={at} withZone />
          </>
        )}
      </span>
    </>
  )
}

/** The problems with the commit in the repository, or the error of the last check. */
function Problems({ remote }: Pick<DeploymentDetail, 'remote'>) {
  const { error, problems = [], problemCount = 0 } = remote ?? {}
  if (!error && problems.length === 0) return null
  return (
    <Section title="Problems" count={problemCount}>
      {error && (
        <Notice tone="bad" icon="warning">
          <strong>{error.message}</strong> <code>{error.code}</code>
          {error.hint !== undefined && <span class="under">{error.hint}</span>}
        </Notice>
      )}
      {problems.length > 0 && (
        <Rows label="Problems in the commit" rows={problems} columns={PROBLEMS} keyOf={placeOf} />
      )}
      {problemCount > problems.length && (
        <p class="muted after-table">
          {count(problemCount - problems.length, 'more problem is', 'more problems are')} not shown.
        </p>
      )}
    </Section>
  )
}

type Problem = NonNullable<NonNullable<DeploymentDetail['remote']>['problems']>[number]

function placeOf({ file, line, column }: Problem): string {
  return [file, line, column].filter((part) => part !== undefined).join(':')
}

const PROBLEMS: readonly Column<Problem>[] = [
  ['Place', (problem) => <bdi class="break">{placeOf(problem)}</bdi>, 'name'],
  [
    'What is wrong',
    ({ message, code, hint }) => (
      <>
        {message} <code>{code}</code>
        {hint !== undefined && <span class="under">{hint}</span>}
      </>
    ),
    'text',
  ],
]

const DEPLOYMENTS: readonly Column<Deployed>[] = [
  ['Commit', ({ commit }) => <CommitLink commit={commit} isRow />, 'name'],
  [<InZone text="Since" />, ({ at }) => <Time at={at} />],
  [
    'What it is',
    ({ subject, author, act, by, comment }) => (
      <>
        <bdi>{subject}</bdi>
        <span class="under">
          <bdi>{author}</bdi>
          {act === 'rollBack' &&
            `; ${by ?? 'somebody'} went back to it${comment === undefined ? '' : `: “${comment}”`}`}
        </span>
      </>
    ),
    'text',
  ],
  ['Pipelines', ({ pipelines }) => pipelines, 'right figure'],
]

/**
 * The columns of the list of deployments. People can go back to a commit whose release is kept. Each commit is offered
 * once.
 */
function columnsOf({ deployed, deployments }: DeploymentDetail): readonly Column<Deployed>[] {
  if (!may('operator')) return DEPLOYMENTS
  const isNewest = (one: Deployed) => deployments.find(({ commit }) => commit === one.commit) === one
  const canGoBack = (one: Deployed) => one.kept && one.commit !== deployed?.commit && isNewest(one)
  return [...DEPLOYMENTS, actsColumn((one) => canGoBack(one) && <RollBackButton {...one} />)]
}
