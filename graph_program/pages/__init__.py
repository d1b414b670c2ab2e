"""Pages: a program as one HTML file that runs it in a browser, without a server and without a network.

Start with `page`; `fields` has which control an input gets, `web_package` finds onnxruntime-web. The page itself is in
page.html, page.css and the scripts beside them.
"""
