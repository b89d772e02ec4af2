import { AudienceCommand, type CommandSetting } from './command.ts'

const COMMENT = 'why, for the audit log and `deploy list`'

/** `audience deploy …`: the pipelines that come from git. */
export function deployCommand(setting: CommandSetting): AudienceCommand {
  const deploy = new AudienceCommand('deploy', setting).description(
    'The pipelines that audience start deploys from the repository of `pipelines.git` in audience.yaml.',
  )
  deploy
    .command('status')
    .description('Says which commit is in use, and how the remote repository differs from it.')
    .option('--json', 'one JSON object')
    .calls(async () => (await import('./deploy/show-deployments.ts')).deployStatus)
  deploy
    .command('list')
    .description('Lists the deployments, newest first, and says whether you can go back to each of them.')
    .option('--json', 'one JSON object per deployment')
    .calls(async () => (await import('./deploy/show-deployments.ts')).deployList)
  deploy
    .command('check')
    .description(
      'Fetches and validates the newest commit, and changes nothing. Exit code 3 means that the commit would be refused.',
    )
    .option('--json', 'one JSON object')
    .calls(async () => (await import('./deploy/check-commit.ts')).deployCheck)
  deploy
    .command('now')
    .description('Asks audience start to check the repository now, and to check a commit again even if it was refused.')
    .signed(COMMENT)
    .calls(async () => (await import('./deploy/order-deployments.ts')).deployNow)
  deploy
    .command('rollback <commit>')
    .description(
      'Goes back to a commit of `deploy list`. The newest commit is skipped; the next new commit is deployed.',
    )
    .signed(COMMENT)
    .addHelpText('after', '\nExample:\n  audience deploy rollback 4f1c2ab --comment "bad list"\n')
    .calls(async () => (await import('./deploy/order-deployments.ts')).deployRollback)
  deploy
    .command('pause')
    .description('Nothing is deployed until `deploy resume`.')
    .signed(COMMENT)
    .calls(async () => (await import('./deploy/order-deployments.ts')).deployPause)
  deploy
    .command('resume')
    .description('Deploys again after `deploy pause`.')
    .signed(COMMENT)
    .calls(async () => (await import('./deploy/order-deployments.ts')).deployResume)
  return deploy
}
