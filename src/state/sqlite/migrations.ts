/** The label of a run's trigger (see core/run.ts), from its first record. */
const LABEL = `coalesce(data ->> '$.trigger.name', data ->> '$.trigger.parent', concat_ws(' ',
  data ->> '$.trigger.id', data ->> '$.trigger.date', data ->> '$.trigger.time', data ->> '$.trigger.timezone'))`

/** Whether people may be told about an occurrence. */
const IS_NOTED = `(NEW.state IN ('missed', 'failed') OR (NEW.state = 'skipped' AND NEW.detail LIKE '%"behind":%'))`

/**
 * The history of the tables: one list of statements per version. A released list never changes. If a file has a higher
 * version, newer software wrote it, so it is left alone.
 */
export const SQLITE_MIGRATIONS: readonly (readonly string[])[] = [
  [
    `CREATE TABLE owners (
      owner TEXT PRIMARY KEY,
      pid INTEGER NOT NULL,
      host TEXT NOT NULL,
      expires_at INTEGER NOT NULL
    ) WITHOUT ROWID`,
    `CREATE TABLE runs (
      run_id TEXT PRIMARY KEY,
      pipeline TEXT NOT NULL,
      status TEXT NOT NULL,
      submitted_at INTEGER NOT NULL,
      finished_at INTEGER,
      owner TEXT,
      dedupe_key TEXT UNIQUE
    ) WITHOUT ROWID`,
    `CREATE INDEX unfinished_runs ON runs (submitted_at) WHERE finished_at IS NULL`,
    `CREATE INDEX runs_by_time ON runs (submitted_at)`,
    `CREATE INDEX runs_by_pipeline ON runs (pipeline, submitted_at)`,
    `CREATE INDEX successful_runs ON runs (pipeline, submitted_at) WHERE status = 'succeeded'`,
    `CREATE TABLE records (
      run_id TEXT NOT NULL,
      seq INTEGER NOT NULL,
      at INTEGER NOT NULL,
      data TEXT NOT NULL,
      PRIMARY KEY (run_id, seq)
    ) WITHOUT ROWID`,
    `CREATE TABLE messages (
      id INTEGER PRIMARY KEY,
      run_id TEXT NOT NULL,
      data TEXT NOT NULL
    )`,
    `CREATE TABLE ledger (
      profile TEXT NOT NULL,
      pipeline TEXT NOT NULL,
      step TEXT NOT NULL,
      data TEXT NOT NULL,
      PRIMARY KEY (profile, pipeline, step)
    ) WITHOUT ROWID`,
  ],
  [
    `ALTER TABLE runs ADD COLUMN profile TEXT NOT NULL DEFAULT 'local'`,
    `CREATE TABLE run_groups (
      name TEXT NOT NULL,
      run_id TEXT NOT NULL,
      max INTEGER NOT NULL,
      PRIMARY KEY (name, run_id)
    ) WITHOUT ROWID`,
    `CREATE INDEX groups_by_run ON run_groups (run_id)`,
    `CREATE TRIGGER leave_groups AFTER UPDATE OF finished_at ON runs WHEN new.finished_at IS NOT NULL
      BEGIN DELETE FROM run_groups WHERE run_id = new.run_id; END`,
    `CREATE INDEX queued_runs ON runs (submitted_at, run_id) WHERE status = 'queued'`,
    `CREATE INDEX unfinished_by_owner ON runs (owner) WHERE finished_at IS NULL`,
    `CREATE INDEX runs_by_end ON runs (finished_at, run_id) WHERE finished_at IS NOT NULL`,
    `CREATE TABLE triggers (
      pipeline TEXT NOT NULL,
      name TEXT NOT NULL,
      cursor INTEGER,
      times TEXT,
      paused_at INTEGER,
      PRIMARY KEY (pipeline, name)
    ) WITHOUT ROWID`,
    `CREATE TABLE occurrences (
      id INTEGER PRIMARY KEY,
      pipeline TEXT NOT NULL,
      trigger_name TEXT NOT NULL,
      key TEXT NOT NULL,
      at INTEGER NOT NULL,
      state TEXT NOT NULL,
      reason TEXT,
      run_id TEXT,
      detail TEXT,
      open INTEGER NOT NULL DEFAULT 0,
      UNIQUE (pipeline, trigger_name, key)
    )`,
    `CREATE INDEX occurrences_by_at ON occurrences (at)`,
    `CREATE INDEX occurrences_by_time ON occurrences (pipeline, trigger_name, at)`,
    `CREATE INDEX due_occurrences ON occurrences (pipeline, trigger_name, at) WHERE state = 'due'`,
    `CREATE INDEX open_occurrences ON occurrences (pipeline, trigger_name, at) WHERE open = 1`,
    `CREATE TABLE notifications (
      id INTEGER PRIMARY KEY,
      channel TEXT NOT NULL,
      key TEXT NOT NULL,
      data TEXT NOT NULL,
      at INTEGER NOT NULL,
      attempts INTEGER NOT NULL DEFAULT 0,
      next_at INTEGER,
      delivered_at INTEGER,
      error TEXT,
      UNIQUE (channel, key)
    )`,
    `CREATE INDEX pending_notifications ON notifications (channel, next_at) WHERE next_at IS NOT NULL`,
    `CREATE TABLE happenings (
      id INTEGER PRIMARY KEY,
      kind TEXT NOT NULL,
      run_id TEXT,
      occurrence INTEGER
    )`,
    `CREATE TABLE cursors (
      name TEXT PRIMARY KEY,
      value INTEGER NOT NULL
    ) WITHOUT ROWID`,
    `CREATE INDEX occurrences_by_run ON occurrences (run_id) WHERE run_id IS NOT NULL`,
    `CREATE TRIGGER note_end AFTER UPDATE OF finished_at ON runs
      WHEN NEW.finished_at IS NOT NULL AND EXISTS (SELECT 1 FROM cursors WHERE name = 'notify')
      BEGIN INSERT INTO happenings (kind, run_id) VALUES ('ended', NEW.run_id); END`,
    `CREATE TRIGGER note_wait AFTER UPDATE OF status ON runs
      WHEN NEW.status = 'waiting' AND EXISTS (SELECT 1 FROM cursors WHERE name = 'notify')
      BEGIN INSERT INTO happenings (kind, run_id) VALUES ('waiting', NEW.run_id); END`,
    `CREATE TRIGGER note_new_occurrence AFTER INSERT ON occurrences
      WHEN NEW.state IN ('missed', 'failed') AND EXISTS (SELECT 1 FROM cursors WHERE name = 'notify')
      BEGIN INSERT INTO happenings (kind, occurrence) VALUES ('occurrence', NEW.id); END`,
    `CREATE TRIGGER note_occurrence AFTER UPDATE OF state ON occurrences
      WHEN NEW.state IN ('missed', 'failed') AND NEW.state <> OLD.state AND EXISTS (SELECT 1 FROM cursors WHERE name = 'notify')
      BEGIN INSERT INTO happenings (kind, occurrence) VALUES ('occurrence', NEW.id); END`,
  ],
  [
    // Version 3. Not released yet: add statements here.
    `CREATE INDEX messages_by_run ON messages (run_id)`,
    // The service of a run. It is unknown for existing runs.
    `ALTER TABLE runs ADD COLUMN service TEXT`,
    // Step memory belongs to a service. Existing entries have the service '' until their profile is used (see
    // sql/step-memory.ts).
    `CREATE TABLE step_memory (
      profile TEXT NOT NULL,
      service TEXT NOT NULL,
      pipeline TEXT NOT NULL,
      step TEXT NOT NULL,
      data TEXT NOT NULL,
      PRIMARY KEY (profile, service, pipeline, step)
    ) WITHOUT ROWID`,
    `INSERT INTO step_memory SELECT profile, '', pipeline, step, data FROM ledger`,
    `DROP TABLE ledger`,
    // Until now, a rerun kept whole steps by id. From now on it keeps step executions.
    `UPDATE records SET data = json_remove(json_set(data, '$.seed.kept', (
        SELECT json_group_array(json_object('step', key, 'from', json_extract(data, '$.seed.runId'), 'outputs', json(value)))
        FROM json_each(data, '$.seed.steps'))), '$.seed.steps')
      WHERE seq = 0 AND json_extract(data, '$.seed.steps') IS NOT NULL`,
    `ALTER TABLE happenings RENAME TO outbox_events`,
    `ALTER TABLE cursors RENAME TO checkpoints`,
    `ALTER TABLE owners ADD COLUMN boot TEXT`,
    `ALTER TABLE owners ADD COLUMN processes TEXT`,
    `ALTER TABLE owners ADD COLUMN process_start TEXT`,
    `ALTER TABLE owners ADD COLUMN steady_until INTEGER NOT NULL DEFAULT 0`,
    `ALTER TABLE owners ADD COLUMN epoch INTEGER NOT NULL DEFAULT 0`,
    // The number of failures in runs that succeeded nevertheless.
    `ALTER TABLE runs ADD COLUMN failures INTEGER NOT NULL DEFAULT 0`,
    `ALTER TABLE runs ADD COLUMN failures_of INTEGER NOT NULL DEFAULT 0`,
    // The text of a document is stored once instead of with each of its runs.
    `CREATE TABLE documents (id INTEGER PRIMARY KEY, digest TEXT NOT NULL UNIQUE, text TEXT NOT NULL)`,
    `INSERT OR IGNORE INTO documents (digest, text) SELECT data ->> 'digest', data ->> 'text' FROM records WHERE seq = 0`,
    // What lists show, so that they need not read records.
    `ALTER TABLE runs ADD COLUMN document INTEGER`,
    `ALTER TABLE runs ADD COLUMN began_at INTEGER`,
    `ALTER TABLE runs ADD COLUMN trigger_kind TEXT NOT NULL DEFAULT ''`,
    `ALTER TABLE runs ADD COLUMN trigger_id TEXT`,
    `ALTER TABLE runs ADD COLUMN trigger_label TEXT NOT NULL DEFAULT ''`,
    `ALTER TABLE runs ADD COLUMN seeded_from TEXT`,
    `ALTER TABLE runs ADD COLUMN started_by TEXT`,
    `ALTER TABLE runs ADD COLUMN error_step TEXT`,
    `ALTER TABLE runs ADD COLUMN error_message TEXT`,
    // Numbers the changes.
    `ALTER TABLE runs ADD COLUMN updated_seq INTEGER NOT NULL DEFAULT 0`,
    `UPDATE runs SET (document, trigger_kind, trigger_id, trigger_label, seeded_from) = (
        SELECT documents.id, coalesce(data ->> '$.trigger.kind', ''), data ->> '$.trigger.id', ${LABEL}, data ->> '$.seed.runId'
        FROM records LEFT JOIN documents ON documents.digest = data ->> 'digest'
        WHERE records.run_id = runs.run_id AND seq = 0)
      WHERE EXISTS (SELECT 1 FROM records WHERE records.run_id = runs.run_id AND seq = 0)`,
    `UPDATE runs SET began_at = coalesce((
        SELECT min(at) FROM records WHERE records.run_id = runs.run_id AND seq BETWEEN 1 AND 2 AND data ->> 'type' = 'run.admitted'), submitted_at)
      WHERE status <> 'queued'`,
    `UPDATE runs SET (error_step, error_message) = (
        SELECT data ->> '$.error.step', data ->> '$.error.message' FROM records
        WHERE records.run_id = runs.run_id ORDER BY seq DESC LIMIT 1)
      WHERE status = 'failed'`,
    `UPDATE runs SET updated_seq = place
      FROM (SELECT run_id AS id, row_number() OVER (ORDER BY submitted_at, run_id) AS place FROM runs) WHERE id = run_id`,
    `UPDATE records SET data = json_remove(data, '$.text') WHERE seq = 0`,
    // Rows are added at the end of the table, so a transaction for many runs writes few pages.
    `CREATE TABLE records_3 (id INTEGER PRIMARY KEY, run_id TEXT NOT NULL, seq INTEGER NOT NULL, at INTEGER NOT NULL, data TEXT NOT NULL)`,
    `INSERT INTO records_3 (run_id, seq, at, data) SELECT run_id, seq, at, data FROM records ORDER BY run_id, seq`,
    `DROP TABLE records`,
    `ALTER TABLE records_3 RENAME TO records`,
    `CREATE UNIQUE INDEX records_by_run ON records (run_id, seq)`,
    // The packed records of ended runs (see packed-records.ts). The table has a rowid, because its rows are large.
    `CREATE TABLE packed_records (run_id TEXT NOT NULL UNIQUE, records INTEGER NOT NULL, data BLOB NOT NULL)`,
    `INSERT INTO checkpoints (name, value) SELECT 'runs', count(*) FROM runs`,
    `DROP INDEX queued_runs`,
    // The index by owner contains the same rows.
    `DROP INDEX unfinished_runs`,
    `CREATE INDEX runs_by_status ON runs (status, submitted_at, run_id)`,
    `DROP INDEX runs_by_pipeline`,
    `CREATE INDEX runs_by_pipeline ON runs (pipeline, submitted_at, run_id)`,
    `DROP INDEX runs_by_time`,
    `CREATE INDEX runs_by_time ON runs (submitted_at, run_id)`,
    // Few runs succeed only in part, so the indexes for these runs are small.
    `CREATE INDEX partial_runs ON runs (submitted_at, run_id) WHERE failures > 0`,
    `CREATE INDEX partial_runs_by_pipeline ON runs (pipeline, submitted_at, run_id) WHERE failures > 0`,
    `CREATE INDEX runs_by_change ON runs (updated_seq)`,
    `CREATE INDEX runs_by_document ON runs (document)`,
    // Counts are by hour and not by day, because a day begins at a different time in each time zone.
    `CREATE TABLE run_hours (
      pipeline TEXT NOT NULL,
      hour INTEGER NOT NULL,
      status TEXT NOT NULL,
      runs INTEGER NOT NULL,
      PRIMARY KEY (pipeline, hour, status)
    ) WITHOUT ROWID`,
    `INSERT INTO run_hours SELECT pipeline, submitted_at / 3600000, status, count(*) FROM runs
      WHERE finished_at IS NOT NULL GROUP BY 1, 2, 3`,
    // The name '' means all pipelines together.
    `INSERT INTO run_hours SELECT '', hour, status, sum(runs) FROM run_hours GROUP BY 2, 3`,
    `CREATE TRIGGER count_end AFTER UPDATE OF finished_at ON runs WHEN NEW.finished_at IS NOT NULL
      BEGIN INSERT INTO run_hours VALUES
        (NEW.pipeline, NEW.submitted_at / 3600000, NEW.status, 1), ('', NEW.submitted_at / 3600000, NEW.status, 1)
        ON CONFLICT DO UPDATE SET runs = runs + 1; END`,
    // Counts the successful runs that had failures.
    `CREATE TRIGGER count_partial AFTER UPDATE OF finished_at ON runs WHEN NEW.failures > 0 AND NEW.finished_at IS NOT NULL
      BEGIN INSERT INTO run_hours VALUES
        (NEW.pipeline, NEW.submitted_at / 3600000, 'partial', 1), ('', NEW.submitted_at / 3600000, 'partial', 1)
        ON CONFLICT DO UPDATE SET runs = runs + 1; END`,
    // `of` identifies what the guard measures. `item` identifies the item of a forEach across runs. `place` is the
    // index of the item, or -1.
    `CREATE TABLE run_guards (
      run_id TEXT NOT NULL,
      step TEXT NOT NULL,
      place INTEGER NOT NULL,
      of TEXT NOT NULL,
      item TEXT,
      value REAL NOT NULL,
      verdict TEXT NOT NULL,
      PRIMARY KEY (run_id, step, place)
    ) WITHOUT ROWID`,
    `CREATE TABLE run_figures (
      run_id TEXT NOT NULL,
      step TEXT NOT NULL,
      name TEXT NOT NULL,
      value REAL NOT NULL,
      PRIMARY KEY (run_id, step, name)
    ) WITHOUT ROWID`,
    `INSERT OR REPLACE INTO run_figures SELECT run_id, data ->> 'step', key, value FROM records, json_each(data, '$.outputs')
      WHERE data ->> 'type' = 'step.finished' AND data ->> 'index' IS NULL AND json_each.type IN ('integer', 'real')`,
    // The audit log: who did what.
    `CREATE TABLE audit (
      id INTEGER PRIMARY KEY,
      at INTEGER NOT NULL,
      who TEXT,
      role TEXT,
      address TEXT,
      act TEXT NOT NULL,
      subject TEXT NOT NULL,
      detail TEXT,
      reason TEXT,
      outcome TEXT NOT NULL
    )`,
    `CREATE INDEX audit_by_subject ON audit (subject)`,
    `CREATE INDEX audit_by_person ON audit (who)`,
    // The claims: each lets one step at a time look for a resource at a service and make it.
    `CREATE TABLE claims (
      scope TEXT NOT NULL,
      thing TEXT NOT NULL,
      run_id TEXT NOT NULL,
      step TEXT NOT NULL,
      fence TEXT NOT NULL,
      PRIMARY KEY (scope, thing)
    ) WITHOUT ROWID`,
    // The steps that are waiting for a claim that another step has.
    `CREATE TABLE blocked (
      run_id TEXT NOT NULL,
      step TEXT NOT NULL,
      thing TEXT NOT NULL,
      by_run TEXT NOT NULL,
      by_key TEXT NOT NULL,
      PRIMARY KEY (run_id, step)
    ) WITHOUT ROWID`,
    // The steps whose jobs are waiting for an answer from another participant. `counterpart` is '' if the participant
    // is not known.
    `CREATE TABLE partner_waits (
      run_id TEXT NOT NULL,
      step TEXT NOT NULL,
      counterpart TEXT NOT NULL,
      since INTEGER NOT NULL,
      told_at INTEGER,
      PRIMARY KEY (run_id, step)
    ) WITHOUT ROWID`,
    // The unfinished child runs, by parent.
    `CREATE INDEX child_runs ON runs (trigger_label) WHERE trigger_kind = 'run' AND finished_at IS NULL`,
    // Failures of one kind have the same key. Older failures get the beginning of their message as the key.
    `ALTER TABLE runs ADD COLUMN error_key TEXT NOT NULL DEFAULT ''`,
    `UPDATE runs SET error_key = substr(coalesce(error_step, '') || ' ' || coalesce(error_message, ''), 1, 100)
      WHERE status = 'failed'`,
    `CREATE INDEX failed_runs ON runs (pipeline, error_key, submitted_at, run_id) WHERE status = 'failed'`,
    `CREATE INDEX failed_runs_by_end ON runs (finished_at, pipeline, error_key) WHERE status = 'failed'`,
    // What people have acknowledged: failures of this kind are hidden until the pipeline succeeds.
    `CREATE TABLE acknowledged (
      pipeline TEXT NOT NULL,
      error_key TEXT NOT NULL,
      at INTEGER NOT NULL,
      who TEXT,
      comment TEXT,
      ended_at INTEGER,
      PRIMARY KEY (pipeline, error_key)
    ) WITHOUT ROWID`,
    `CREATE TRIGGER end_acknowledged AFTER UPDATE OF finished_at ON runs
      WHEN NEW.finished_at IS NOT NULL AND NEW.status = 'succeeded'
      BEGIN UPDATE acknowledged SET ended_at = NEW.finished_at WHERE pipeline = NEW.pipeline AND ended_at IS NULL; END`,
    // Notes a skipped slot only if a waiting run blocked it.
    `DROP TRIGGER note_new_occurrence`,
    `DROP TRIGGER note_occurrence`,
    `CREATE TRIGGER note_new_occurrence AFTER INSERT ON occurrences
      WHEN ${IS_NOTED} AND EXISTS (SELECT 1 FROM checkpoints WHERE name = 'notify')
      BEGIN INSERT INTO outbox_events (kind, occurrence) VALUES ('occurrence', NEW.id); END`,
    `CREATE TRIGGER note_occurrence AFTER UPDATE OF state ON occurrences
      WHEN ${IS_NOTED} AND NEW.state <> OLD.state AND EXISTS (SELECT 1 FROM checkpoints WHERE name = 'notify')
      BEGIN INSERT INTO outbox_events (kind, occurrence) VALUES ('occurrence', NEW.id); END`,
    // Pipelines that are muted for a limited time.
    `CREATE TABLE mutes (
      pipelines TEXT NOT NULL,
      since INTEGER NOT NULL,
      until INTEGER NOT NULL,
      who TEXT,
      comment TEXT
    )`,
    // When the person who watched a run at a terminal stopped watching.
    'ALTER TABLE runs ADD COLUMN left_at INTEGER',
    // The resources that runs made at a service. `service` has the same meaning as in step_memory.
    `CREATE TABLE made (
      profile TEXT NOT NULL,
      service TEXT NOT NULL,
      kind TEXT NOT NULL,
      id TEXT,
      job TEXT,
      request TEXT,
      name TEXT NOT NULL,
      about TEXT NOT NULL,
      pipeline TEXT NOT NULL,
      step TEXT NOT NULL,
      run_id TEXT NOT NULL,
      at INTEGER NOT NULL,
      found INTEGER NOT NULL
    )`,
    `CREATE UNIQUE INDEX made_by_id ON made (profile, service, kind, id) WHERE id IS NOT NULL`,
    `CREATE UNIQUE INDEX made_by_job ON made (profile, service, kind, job) WHERE job IS NOT NULL`,
    `CREATE UNIQUE INDEX made_by_request ON made (profile, service, kind, request) WHERE request IS NOT NULL`,
    `CREATE INDEX made_by_name ON made (profile, service, kind, name)`,
    // Until now, the step memory recorded the owner of an activation ("PIPELINE STEP") and the partner of a match.
    `INSERT INTO made SELECT profile, service, 'activation', substr(step, 12), NULL, NULL, '',
        json_object('segmentId', data ->> 'segmentId', 'matchId', data ->> 'matchId'),
        trim(rtrim(data ->> 'owner', replace(data ->> 'owner', ' ', ''))),
        substr(data ->> 'owner', length(rtrim(data ->> 'owner', replace(data ->> 'owner', ' ', ''))) + 1), '', 0, 1
      FROM step_memory WHERE pipeline = '' AND step GLOB 'activation ?*' AND json_valid(data)
        AND data ->> 'segmentId' IS NOT NULL AND data ->> 'owner' IS NOT NULL`,
    `INSERT INTO made SELECT profile, service, 'match', substr(step, 7), NULL, NULL, '',
        json_object('counterpart', data ->> 'counterpart'), '', '', '', 0, 1
      FROM step_memory WHERE pipeline = '' AND step GLOB 'match ?*' AND json_valid(data)
        AND data ->> 'counterpart' IS NOT NULL`,
    `DELETE FROM step_memory WHERE pipeline = '' AND (step GLOB 'activation ?*' OR step GLOB 'match ?*')`,
    // Which trigger starts runs after which pipeline.
    `CREATE TABLE follows (
      pipeline TEXT NOT NULL,
      trigger_name TEXT NOT NULL,
      upstream TEXT NOT NULL,
      PRIMARY KEY (pipeline, trigger_name, upstream)
    ) WITHOUT ROWID`,
    `CREATE INDEX follows_by_upstream ON follows (upstream)`,
    // The ended runs of these pipelines. `key` is the key of the occurrence of their set, or NULL while they are in no
    // set.
    `CREATE TABLE ends (
      pipeline TEXT NOT NULL,
      trigger_name TEXT NOT NULL,
      run_id TEXT NOT NULL,
      upstream TEXT NOT NULL,
      at INTEGER NOT NULL,
      origin TEXT,
      mark TEXT,
      key TEXT,
      PRIMARY KEY (pipeline, trigger_name, run_id)
    ) WITHOUT ROWID`,
    `CREATE INDEX open_ends ON ends (pipeline, trigger_name, at, run_id) WHERE key IS NULL`,
    `CREATE INDEX ends_by_origin ON ends (pipeline, trigger_name, origin) WHERE origin IS NOT NULL`,
    `CREATE INDEX ends_by_mark ON ends (pipeline, trigger_name, mark) WHERE mark IS NOT NULL`,
    `CREATE INDEX ends_by_run ON ends (run_id)`,
    `CREATE INDEX ends_by_at ON ends (at)`,
    `CREATE TRIGGER note_followed_end AFTER UPDATE OF finished_at ON runs WHEN NEW.finished_at IS NOT NULL
      BEGIN INSERT OR IGNORE INTO ends (pipeline, trigger_name, run_id, upstream, at)
        SELECT pipeline, trigger_name, NEW.run_id, NEW.pipeline, NEW.finished_at FROM follows
        WHERE upstream = NEW.pipeline; END`,
    // The commit of the run's document.
    'ALTER TABLE runs ADD COLUMN commit_id TEXT',
    // The commits that were put into use. The second table holds other facts about deployments, by name.
    `CREATE TABLE deployments (
      id INTEGER PRIMARY KEY,
      commit_id TEXT NOT NULL,
      act TEXT NOT NULL,
      at INTEGER NOT NULL,
      subject TEXT NOT NULL,
      author TEXT NOT NULL,
      committed_at INTEGER NOT NULL,
      pipelines INTEGER NOT NULL,
      who TEXT,
      comment TEXT
    )`,
    'CREATE TABLE deployment_marks (name TEXT PRIMARY KEY, data TEXT NOT NULL) WITHOUT ROWID',
    // The content of an event that is not about a run or an occurrence.
    'ALTER TABLE outbox_events ADD COLUMN data TEXT',
    // Files on other machines. A trigger has one entry for a file as long as the file looks the same.
    `CREATE TABLE remote_files (
      ticket TEXT PRIMARY KEY,
      pipeline TEXT NOT NULL,
      trigger_name TEXT NOT NULL,
      source TEXT NOT NULL,
      path TEXT NOT NULL,
      hint TEXT NOT NULL,
      of_set TEXT,
      state TEXT NOT NULL,
      sha256 TEXT,
      key TEXT
    ) WITHOUT ROWID`,
    `CREATE UNIQUE INDEX remote_files_by_hint ON remote_files (pipeline, trigger_name, source, path, hint)`,
    // The result of the last check of each trigger.
    `CREATE TABLE remote_looks (
      pipeline TEXT NOT NULL,
      trigger_name TEXT NOT NULL,
      source TEXT NOT NULL,
      path TEXT NOT NULL,
      at INTEGER NOT NULL,
      reached_at INTEGER,
      waiting INTEGER NOT NULL,
      sets TEXT,
      problem_code TEXT,
      problem TEXT,
      problem_hint TEXT,
      problem_since INTEGER,
      PRIMARY KEY (pipeline, trigger_name)
    ) WITHOUT ROWID`,
  ],
]
