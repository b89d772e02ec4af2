import { AudienceCommand, type CommandSetting } from './command.ts'
import { collect, INPUT_OPTION, integerOption } from './options.ts'

/** `audience test [PATHS…]`. */
export function testCommand(setting: CommandSetting): AudienceCommand {
  return new AudienceCommand('test', setting)
    .description(
      'Rehearses pipelines: runs the tests in *.test.yaml, each in a world of its own, with the whole service and a clock that leaps ahead. It needs no network, no state and no profile.',
    )
    .argument('[paths...]', 'test files, folders and globs; default: `pipelines`')
    .option('--only <text>', 'only tests whose name contains this text')
    .option('--jobs <n>', 'how many files at once; default: one for every two processors', integerOption)
    .option('--junit <file>', 'also write the results as JUnit XML')
    .option(
      '--seed <n>',
      'a different seed gives different random values, such as the jitter of retries',
      integerOption,
      1,
    )
    .option('--keep', 'keep the world of each test that fails, and say how to look at it')
    .option(
      '--init',
      'the paths are pipelines: write a first test beside each, from one rehearsed run; nothing is overwritten',
    )
    .option(INPUT_OPTION[0], 'with --init, an input of that run; may be given several times', collect, [])
    .option('--update', 'rewrite counts of `writes` and `plan` in the test files if they differ, and say which')
    .option(
      '--watch',
      'until Ctrl-C, run a test again after each change to the test, to its pipeline, or to a file that either of them names',
    )
    .option('--json', 'one JSON object for each test')
    .examples(`
  audience test                                    all tests in ./pipelines
  audience test pipelines/nightly.test.yaml --only "summer time"
  audience test --init pipelines/nightly.yaml      a first test, to read and to extend
  audience test --update                           after a change that is meant to write more, or less
  audience test --junit results.xml                for a CI that shows them
  audience test --keep                             look at the runs of a failed test

Exits with 0 if all passed, with 1 if one failed, and with 3 if a test file has errors.
`)
    .calls(async () => (await import('./test-pipelines.ts')).testPipelines)
}
