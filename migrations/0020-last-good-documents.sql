-- Each process remembers failed fetches itself; the table holds only documents that were accepted.

comment on table client_documents is 'clients: the last good copy of each fetched client metadata document';
comment on column client_documents.failure is 'only older releases write it; a row with it counts as absent';
