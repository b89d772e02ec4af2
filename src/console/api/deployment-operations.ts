import { flag, list, noFields, object, text, time, wholeNumber } from '../../core/json-schema.ts'
import { DEPLOYMENT_STATES } from '../../daemon/deployment/deployment-state.ts'
import { actOperation, readOperation, textOrEmpty } from './api-operation.ts'
import { given } from './given.ts'
import { diff } from './run-schemas.ts'

const commit = text('The commit, as 40 or 64 hexadecimal digits.')
const facts = {
  commit,
  subject: text('The first line of its message.'),
  author: text('Who wrote it.'),
  committedAt: time('When it was made.'),
}

const deployed = object(['commit', 'act', 'at', 'subject', 'author', 'committedAt', 'pipelines'], {
  ...facts,
  act: {
    enum: ['deploy', 'rollBack'],
    description: '`deploy`: it was deployed automatically. `rollBack`: a person went back to it.',
  },
  at: time('When it came into use.'),
  pipelines: wholeNumber('How many pipelines it has.'),
  by: text('Who went back to it.'),
  comment: text('Why.'),
})

const reason = { code: text('Its code.'), message: text('What is wrong.'), hint: text('What to do.') }

const remote = {
  ...object(['state', 'since', 'lookedAt'], {
    ...facts,
    state: { enum: ['current', 'refused', 'unreachable', 'ref-gone'], description: 'Its state.' },
    since: time('Since when.'),
    lookedAt: time('When the keeper last checked the repository.'),
    problems: list(
      object(['file', 'code', 'message'], {
        file: text('The path in the repository.'),
        line: wholeNumber('Counted from 1.'),
        column: wholeNumber('Counted from 1.'),
        ...reason,
      }),
      'What is wrong with a refused commit; the first 20.',
    ),
    problemCount: wholeNumber('How many problems it has.'),
    error: object(['code', 'message'], reason),
  }),
  description: 'What the last check of the repository found; missing before the first check.',
}

const deployment = object(['state', 'url', 'ref', 'path', 'deployments'], {
  state: { enum: [...DEPLOYMENT_STATES, 'unknown'], description: 'The state, as `audience deploy status` shows it.' },
  url: text('The address of the repository.'),
  ref: text('The branch, tag or commit that is followed.'),
  path: text('The folder of the pipelines in the repository.'),
  deployed: { ...deployed, description: 'The deployment in use; missing if there is none.' },
  missing: {
    ...object(['folder'], { folder: text('The folder of its release.'), ...reason }),
    description:
      'Only if the files of the deployment in use are gone: where they should be and, after an attempt to fetch them again, why it failed.',
  },
  remote,
  paused: object(['at'], { at: time('When deployments were paused.'), by: text('Who.'), comment: text('Why.') }),
  skipped: text('The commit that is skipped because of a rollback.'),
  deployments: list(
    object([...deployed.required, 'kept'], {
      ...deployed.properties,
      kept: flag('Whether its release is kept, so that people can go back to it.'),
    }),
    'The last deployments, newest first; at most 50.',
  ),
})

const changes = object(['commit', 'files', 'moreFiles'], {
  commit: deployed,
  against: {
    ...deployed,
    description: 'The deployment that it is compared with; missing for the first deployment.',
  },
  files: list(
    object(['file', 'change', 'diff'], {
      file: text('Its path in the repository.'),
      change: {
        enum: ['added', 'removed', 'changed'],
        description: 'What happened to the file between `against` and `commit`.',
      },
      diff,
      notShown: {
        enum: ['not-a-document', 'too-large'],
        description: 'Why the lines are not shown. Files other than documents may be lists of people.',
      },
    }),
    'The files that differ, by path; at most 200.',
  ),
  moreFiles: wholeNumber('How many more files differ.'),
})

const onlyReason = object([], { reason: given.reason })
const audit = (act: 'deploy.pause' | 'deploy.resume' | 'deploy.now') => () => ({ act, subject: 'deployments' })

/** The operations on pipelines from git. All are refused with `no-deployment` if the pipelines are in a folder. */
export const deploymentOperations = {
  'deployment.get': readOperation({
    path: '/deployment',
    summary: 'Show which commit is in use, how the repository differs from it, and the last deployments',
    input: noFields,
    output: deployment,
  }),
  'deployment.changes': readOperation({
    path: '/deployment/commits/{commit}',
    summary: 'Show how the documents of a deployed commit differ from the documents of another commit',
    description: 'Compares releases that are kept: the last ten, and releases of runs that have not ended.',
    input: object(['commit'], {
      commit: given.text('The first digits of the commit, at least four.'),
      against: given.text('The commit to compare with. Default: the commit that was in use before.'),
    }),
    output: changes,
  }),
  'deployment.rollback': actOperation({
    path: '/deployment/rollback',
    summary: 'Go back to an earlier commit',
    description: 'The newest commit is skipped. The next new commit is deployed.',
    input: object(['commit'], {
      commit: given.text('The first digits of the commit, at least four.'),
      reason: given.reason,
    }),
    output: object(['commit'], { commit, skips: text('The commit that is skipped.') }),
    audit: ({ commit: to }) => ({ act: 'deploy.rollback', subject: textOrEmpty(to) }),
  }),
  'deployment.pause': actOperation({
    path: '/deployment/pause',
    summary: 'Pause deployments until somebody resumes them',
    input: onlyReason,
    output: object(['pausedSince'], { pausedSince: time('Since when.') }),
    audit: audit('deploy.pause'),
  }),
  'deployment.resume': actOperation({
    path: '/deployment/resume',
    summary: 'Deploy new commits again',
    input: onlyReason,
    output: object(['wasPaused'], { wasPaused: flag('Whether deployments were paused.') }),
    audit: audit('deploy.resume'),
  }),
  'deployment.look': actOperation({
    path: '/deployment/look',
    summary: 'Check the repository now, and check a refused commit again',
    description: 'The keeper checks the repository within a second; `GET /deployment` shows what it finds.',
    input: onlyReason,
    output: noFields,
    audit: audit('deploy.now'),
  }),
} as const
