-- To end all access of a client at once, however many authorizations it has: one row changes, and no authorization of an
-- earlier round counts any more. A job then marks the rows themselves.

alter table clients add column access_round integer not null default 0;
alter table authorizations add column access_round integer not null default 0;
comment on column clients.access_round is 'goes up when all access of the client ends; authorizations of earlier rounds are ended';
comment on column authorizations.access_round is 'the round of the client when the authorization was made';
