/**
 * The tables of the store, one script per version. A released version never changes. Ids have 64 bits and are read as
 * text (`CAST(… AS TEXT)`), because a JavaScript number would lose digits. The `_access` tables record who sees what,
 * in the order of creation, so that a late page of a long list needs only one index scan.
 */
export const SERVICE_MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE files (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    participant INTEGER NOT NULL,
    feature_type TEXT NOT NULL,
    upload_signal TEXT NOT NULL,
    result_content TEXT NOT NULL,
    name TEXT NOT NULL,
    content TEXT NOT NULL,
    bytes INTEGER NOT NULL,
    uploaded_at INTEGER NOT NULL
  );
  CREATE UNIQUE INDEX files_by_name ON files (participant, result_content, name, upload_signal, feature_type);
  CREATE INDEX files_in_bucket ON files (participant, feature_type, upload_signal, result_content, seq);
  CREATE INDEX files_by_content ON files (content);

  CREATE TABLE segments (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    owner INTEGER NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('building', 'live', 'deleted')),
    participant_segment_id TEXT NOT NULL,
    segment_name TEXT NOT NULL,
    segment_file_name TEXT NOT NULL,
    upload_signal TEXT NOT NULL,
    result_content TEXT NOT NULL,
    upload_date_with_signals INTEGER,
    provider_id INTEGER,
    cpm REAL,
    data_owner TEXT,
    category TEXT,
    sub_category TEXT,
    description TEXT,
    spi INTEGER NOT NULL,
    set_file TEXT,
    members INTEGER NOT NULL DEFAULT 0
  );
  CREATE UNIQUE INDEX segments_by_own_id ON segments (owner, participant_segment_id) WHERE state <> 'deleted';
  CREATE INDEX segments_by_set_file ON segments (set_file) WHERE set_file IS NOT NULL;

  CREATE TABLE segment_access (
    participant INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    name_shared INTEGER NOT NULL,
    upload_signal TEXT NOT NULL,
    result_content TEXT NOT NULL,
    provider_id INTEGER,
    PRIMARY KEY (participant, seq)
  ) WITHOUT ROWID;
  CREATE INDEX segment_access_by_segment ON segment_access (seq);

  CREATE TABLE matches (
    id INTEGER PRIMARY KEY,
    requester INTEGER NOT NULL,
    approver INTEGER,
    group_id TEXT,
    segment_id TEXT NOT NULL,
    delivery_scopes TEXT NOT NULL,
    share_segment_name INTEGER NOT NULL,
    access_bg_ids INTEGER NOT NULL,
    spi INTEGER NOT NULL,
    return_unmatched_bg_ids INTEGER NOT NULL,
    status TEXT NOT NULL,
    match_count INTEGER NOT NULL DEFAULT 0,
    match_job_id INTEGER NOT NULL,
    shave_off_percent INTEGER,
    control_holdout_percent INTEGER,
    set_file TEXT,
    split_file TEXT
  );
  CREATE INDEX matches_by_segment ON matches (segment_id);
  CREATE INDEX matches_by_set_file ON matches (set_file) WHERE set_file IS NOT NULL;
  CREATE INDEX matches_by_split_file ON matches (split_file) WHERE split_file IS NOT NULL;

  CREATE TABLE match_access (
    participant INTEGER NOT NULL,
    match_id INTEGER NOT NULL,
    PRIMARY KEY (participant, match_id)
  ) WITHOUT ROWID;

  CREATE TABLE activations (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    requester INTEGER NOT NULL,
    approver INTEGER,
    match_id INTEGER NOT NULL,
    segment_id TEXT NOT NULL,
    activation_name TEXT NOT NULL,
    status TEXT NOT NULL,
    spi INTEGER NOT NULL,
    delivery_scopes TEXT NOT NULL,
    campaign TEXT,
    agency TEXT,
    brand TEXT,
    campaign_start_date TEXT,
    campaign_end_date TEXT,
    refresh_rate INTEGER NOT NULL
  );

  CREATE TABLE activation_access (
    participant INTEGER NOT NULL,
    activation_id INTEGER NOT NULL,
    PRIMARY KEY (participant, activation_id)
  ) WITHOUT ROWID;

  CREATE TABLE jobs (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    participant INTEGER NOT NULL,
    kind TEXT NOT NULL,
    status TEXT NOT NULL,
    phase INTEGER NOT NULL,
    work INTEGER NOT NULL DEFAULT 0,
    active INTEGER NOT NULL,
    due_at INTEGER,
    segment_id TEXT NOT NULL,
    match_id INTEGER,
    activation_id INTEGER,
    reads TEXT,
    request TEXT NOT NULL,
    result TEXT,
    failure TEXT,
    created_at INTEGER NOT NULL,
    changed_at INTEGER NOT NULL
  );
  CREATE INDEX jobs_due ON jobs (due_at) WHERE due_at IS NOT NULL;
  CREATE INDEX jobs_active_on_segment ON jobs (segment_id) WHERE active = 1;
  CREATE INDEX jobs_active_on_match ON jobs (match_id) WHERE active = 1;
  CREATE INDEX jobs_active_reading ON jobs (reads) WHERE active = 1
  `,
  `
  ALTER TABLE jobs ADD COLUMN held INTEGER NOT NULL DEFAULT 0;
  CREATE TABLE service_clock (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    offset_ms INTEGER NOT NULL,
    frozen_at INTEGER
  )
  `,
]
