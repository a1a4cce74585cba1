-- Where an application may send people after it signed them out here.

alter table clients
  add column post_logout_redirect_uris text[] not null default '{}'
    check (cardinality(post_logout_redirect_uris) <= 50);
comment on column clients.post_logout_redirect_uris is 'compared letter by letter, the port of loopback included';
