-- A deleted school: it answers nowhere, and a job removes what it has left.
alter table schools add column deleted_at timestamptz(3);
comment on column schools.deleted_at is 'since when nothing answers at its origin; the row goes when its last row has gone';

-- The authorization of a pair names its school. This key made every refresh lock a row, and the end of a school read all pairs.
alter table token_pairs drop constraint token_pairs_bound_school_id_fkey;
