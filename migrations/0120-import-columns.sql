-- What an operator chose for the headings of an imported file is chosen again for the next one.

alter table schools add column import_columns jsonb not null default '{}';
comment on column schools.import_columns is 'by the kind of rows: the column of each heading, as chosen for the last file';
